// What the panel of pages in development makes of `Server-Timing`.

import t from 'tap'
import { formatMs, formatSize, isNavigation, toRow } from '../../src/client/dev/request-rows.ts'
import type { ServerMetric } from '../../src/shared/wire/navigation-protocol.ts'

const entryOf = (path: string, entryType = 'resource') => ({
  ...{ name: `http://localhost:3000${path}`, entryType, startTime: 100, responseEnd: 150 },
})
const HEAD: ServerMetric[] = [
  { name: 'total', duration: 40, description: '' },
  { name: 'route', duration: 0, description: '/notes/[id]' },
]

t.test('a row has the route, the time and the steps of a request', async (t) => {
  const row = toRow(entryOf('/notes/7?page=2&_hydrant'), [
    ...HEAD,
    { name: 'cache', duration: 0, description: 'pass: read (it reads request)' },
    { name: 'cache', duration: 3, description: 'render of another request' },
    { name: 'guard', duration: 0, description: 'pages/notes/[id].server.ts' },
    { name: 'load', duration: 30.5, description: 'pages/notes/[id].server.ts:12 (1234 characters)' },
    { name: 'call', duration: 20, description: 'GET https://api.example' },
    { name: 'deferred', duration: 2, description: 'data.reviews' },
    { name: 'render', duration: 4, description: '/notes/[id] (9876 characters)' },
  ])
  const place = { file: 'pages/notes/[id].server.ts', column: 0 }
  t.strictSame(row, {
    ...{ kind: 'navigation', path: '/notes/7?page=2', route: '/notes/[id]', totalMs: 40, receivedMs: 50 },
    cache: 'not stored, because it reads request',
    steps: [
      { kind: 'cache', name: 'render of another request', isInner: false, place: null, durationMs: 3, characters: 0 },
      {
        kind: 'guard',
        name: '',
        isInner: false,
        place: { ...place, line: 0, export: 'guard' },
        durationMs: 0,
        characters: 0,
      },
      {
        kind: 'load',
        name: '',
        isInner: false,
        place: { ...place, line: 12, export: 'load' },
        durationMs: 30.5,
        characters: 1234,
      },
      { kind: 'call', name: 'GET https://api.example', isInner: true, place: null, durationMs: 20, characters: 0 },
      { kind: 'deferred', name: 'data.reviews', isInner: false, place: null, durationMs: 2, characters: 0 },
      { kind: 'render', name: '/notes/[id]', isInner: false, place: null, durationMs: 4, characters: 9876 },
    ],
  })
})

t.test('a row is of a document, a navigation or a form', async (t) => {
  const action = { name: 'action', duration: 1, description: 'pages/notes/[id].server.ts' }
  t.equal(toRow(entryOf('/notes/7', 'navigation'), HEAD)?.kind, 'document')
  t.equal(toRow(entryOf('/notes/7?_hydrant'), HEAD)?.kind, 'navigation')
  t.equal(toRow(entryOf('/notes/7?_hydrant'), [...HEAD, action])?.kind, 'form')
})

t.test('the result of the cache is said in words', async (t) => {
  const cacheOf = (description: string) =>
    toRow(entryOf('/'), [...HEAD, { name: 'cache', duration: 0, description }])?.cache
  t.strictSame(['hit', 'stored in production', 'pass', 'pass: read'].map(cacheOf), [
    'hit',
    'stored in production',
    'not stored',
    'not stored (read)',
  ])
  t.equal(toRow(entryOf('/'), HEAD)?.cache, null)
})

t.test('characters that the header encodes are decoded, and those of a name are kept', async (t) => {
  const name = (description: string) => toRow(entryOf('/'), [...HEAD, { name: 'route', duration: 0, description }])
  t.equal(name('/')?.route, '/notes/[id]', 'the first metric of a name counts')
  const routes = ['/caf%C3%A9', '/50%25', '/%C3'].map(
    (description) => toRow(entryOf('/'), [{ name: 'route', description }, ...HEAD])?.route,
  )
  t.strictSame(routes, ['/café', '/50%25', '/%C3'])
})

t.test('metrics of a site make no row', async (t) => {
  t.equal(toRow(entryOf('/'), [{ name: 'db', duration: 3, description: '' }]), null)
  t.equal(toRow(entryOf('/'), []), null)
})

t.test('only requests with the mark are navigations', async (t) => {
  const of = (path: string) => isNavigation(`http://localhost${path}`)
  t.strictSame(['/?_hydrant', '/?a=1&_hydrant', '/?_hydrant_=1', '/_hydrant/assets/x.js'].map(of), [
    ...[true, true, false, false],
  ])
})

t.test('times and sizes have units', async (t) => {
  t.strictSame([0.04, 9.94, 9.96, 120.4, 1250].map(formatMs), ['0.0 ms', '9.9 ms', '10 ms', '120 ms', '1.25 s'])
  t.strictSame([22, 330, 5014, 12_345].map(formatSize), ['0.02 kB', '0.3 kB', '5.0 kB', '12 kB'])
})
