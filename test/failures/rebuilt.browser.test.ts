// Failures in browsers and builds: the same failure has the same fingerprint in each build, and leads to its source.

import { cpSync, existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { launchChromium, type OpenPage } from '../browser/chromium.ts'
import { buildApp, copyApp } from '../build-app.ts'
import { type createLog, type Files, HTML, serve, writeFiles } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'
import type { LogLine } from '../site-server.ts'
import { until } from '../until.ts'

const kinds = ['price', 'total', 'effect', 'handler', 'arrow', 'method', 'constructed', 'imported', 'rejected', 'text']

// Texts of other builds, which move the lines of the site and make the minifier choose other letters.
const MORE = `// A remark.

export function addedOne(first: number, second: number) {
  const sum = first + second
  console.debug(sum)
  return sum
}
export class Added {
  twice(value: number) {
    return addedOne(value, value)
  }
}
`
const AFTER: Files = {
  'pages/fails.tsx': above(
    'pages/fails.tsx',
    `import { useId as useSomeId, useRef as useSomeRef } from 'react'
function Aaa() {
  return <b id={useSomeId()} ref={useSomeRef(null)}>{String(Bbb)}</b>
}
function Bbb(first) {
  return <Aaa key={first} />
}
globalThis.kept = Bbb

`,
  ),
  'lib/cart.ts': above('lib/cart.ts', MORE),
  'pages/added.tsx': `import { Added, addedOne, Cart } from '../lib/cart.ts'
export default function Page() {
  return <p onClick={() => new Added().twice(addedOne(1, 2))}>{typeof Cart}</p>
}
`,
}
const LATER_LOAD: Files = {
  'pages/load.server.ts': above('pages/load.server.ts', '// A remark.\nconsole.debug(1)\n\n'),
}

/** Returns the contents of a file of the site `builds` after other text. */
function above(file: string, text: string): string {
  return text + readFileSync(join('test/apps/builds', file), 'utf8')
}

/** Builds a copy of the site `builds` again, with other files. */
async function rebuild(dir: string, files: Files): Promise<string> {
  writeFiles(dir, files)
  await buildSharing({ dir })
  return dir
}

const chromium = await launchChromium(t)

async function start(t: Test, dir: string) {
  const { app, log, get } = await serve(t, dir)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.server.closeAllConnections())
  return { origin, log, get }
}

async function fail(open: OpenPage, kind: string, log: ReturnType<typeof createLog>): Promise<LogLine> {
  const { length } = log.errors()
  await open.click(`#${kind}`)
  return until(() => log.errors()[length])
}

async function failAll(origin: string, log: ReturnType<typeof createLog>): Promise<Map<string, LogLine>> {
  const open = await chromium.open()
  const lines = new Map<string, LogLine>()
  for (const kind of kinds) {
    await open.goto(`${origin}/fails`, 'commit')
    await open.hydrated()
    lines.set(kind, await fail(open, kind, log))
  }
  return lines
}

const fingerprintOf = (line?: LogLine) => line?.digest?.slice(0, 8)
const firstFrame = (line?: LogLine) => line?.err?.stack.split('\n')[1]

t.test('a browser failure has one fingerprint, whatever its minified names are', async (t) => {
  const root = t.testdir({})
  const one = await start(t, await rebuild(copyApp(t, 'builds', join(root, 'one')), {}))
  const two = await start(t, await rebuild(copyApp(t, 'builds', join(root, 'two [x]')), AFTER))
  const first = await failAll(one.origin, one.log)
  const second = await failAll(two.origin, two.log)
  const changed = kinds.filter((kind) => fingerprintOf(second.get(kind)) !== fingerprintOf(first.get(kind)))
  t.strictSame(
    changed.map((kind) => `${kind}: ${firstFrame(first.get(kind))}, ${firstFrame(second.get(kind))}`),
    [],
  )
  const fingerprints = kinds.map((kind) => fingerprintOf(first.get(kind)))
  t.same(
    kinds.filter((_, index) => fingerprints.indexOf(fingerprints[index]) !== index),
    [],
    'each its own',
  )
  const names = Object.fromEntries(
    kinds.map((kind) => [kind, /at (?:async )?(.*) \(/.exec(firstFrame(first.get(kind)) ?? '')?.[1]]),
  )
  t.match(names, {
    price: 'Price',
    total: 'Total',
    effect: 'Mounted.<anonymous>',
    handler: 'handler',
    arrow: 'arrow',
    method: 'Cart.total',
    constructed: 'new Basket',
    imported: 'countAll.<anonymous>',
    rejected: 'rejected',
  })
  t.equal(first.get('method')?.err?.type, 'CartError', 'a class’s own name')
})

t.test('a page of an earlier build leads to the lines of that build', async (t) => {
  const dir = await buildApp(t, 'builds')
  const { origin } = await start(t, dir)
  const open = await chromium.open()
  await open.goto(`${origin}/fails`, 'commit')
  await open.hydrated()
  await rebuild(dir, AFTER)
  const twice = `${MORE}${MORE.replaceAll(/Added|addedOne/g, '$&2')}`
  await rebuild(dir, { 'lib/cart.ts': above('lib/cart.ts', twice) })
  // A server of the newest build gets a request of a page of the oldest.
  const { origin: newest, log } = await start(t, dir)
  await open.page.route('**/_hydrant/report', async (route) => {
    const headers = { ...route.request().headers(), host: new URL(newest).host, origin: newest }
    const body = route.request().postData() ?? ''
    await fetch(`${newest}/_hydrant/report`, { method: 'POST', body, headers })
    await route.fulfill({ status: 204 })
  })
  const line = await fail(open, 'method', log)
  t.equal(firstFrame(line), '    at Cart.total (lib/cart.ts:9:11)')
})

t.test('a server keeps using its own map when another build replaces its own', async (t) => {
  const dir = await buildApp(t, 'builds')
  const old = await start(t, dir)
  await rebuild(dir, LATER_LOAD)
  await old.get('/load')
  t.equal(firstFrame(old.log.errors()[0]), '    at find (pages/load.server.ts:2:9)')
  const fresh = await start(t, dir)
  await fresh.get('/load')
  t.equal(firstFrame(fresh.log.errors()[0]), '    at find (pages/load.server.ts:5:9)')
})

t.test('a server keeps using its own map when another build is copied over its own', async (t) => {
  const root = t.testdir({})
  const dir = await rebuild(copyApp(t, 'builds', join(root, 'served')), {})
  const { get, log } = await start(t, dir)
  const other = await rebuild(copyApp(t, 'builds', join(root, 'other')), LATER_LOAD)
  cpSync(join(other, '.hydrant'), join(dir, '.hydrant'), { recursive: true })
  await get('/load')
  t.equal(firstFrame(log.errors()[0]), '    at find (pages/load.server.ts:2:9)')
})

t.test('a map that could not be read is read again', async (t) => {
  const dir = await buildApp(t, 'builds')
  const { get, log } = await start(t, dir)
  const kept = join(dir, '.hydrant/kept')
  renameSync(kept, `${kept}-away`)
  await get('/load')
  t.notMatch(firstFrame(log.errors()[0]), /pages\/load\.server\.ts:2:9/)
  renameSync(`${kept}-away`, kept)
  await until(async () => {
    await get('/load')
    return firstFrame(log.errors().at(-1)) === '    at find (pages/load.server.ts:2:9)'
  })
})

t.test('maps of the last five builds are kept, and none is served', async (t) => {
  const dir = copyApp(t, 'builds')
  const pageOf = (number: number) => ({
    'pages/load.tsx': `export default function Page() {\n  return <p>${'page '.repeat(number)}</p>\n}\n`,
  })
  for (let number = 1; number <= 7; number++) await rebuild(dir, pageOf(number))
  await rebuild(dir, pageOf(7))
  const folder = join(dir, '.hydrant')
  const maps = readdirSync(join(folder, 'maps'))
  const ofPage = maps.filter((name) => readFileSync(join(folder, 'maps', name), 'utf8').includes('pages/load.tsx'))
  t.equal(ofPage.length, 5)
  t.equal(readdirSync(join(folder, 'kept')).filter((name) => name.endsWith('.mjs')).length, 5)
  const { get } = await serve(t, dir)
  const names = [...maps, ...readdirSync(join(folder, 'kept')), 'index.mjs.map']
  const served: string[] = []
  for (const name of names) {
    for (const path of [
      '',
      'maps/',
      'kept/',
      'server/',
      '_hydrant/',
      '_hydrant/maps/',
      '_hydrant/assets/',
      '_hydrant/assets/../maps/',
      '_hydrant/assets/%2e%2e/maps/',
    ]) {
      const { statusCode, body } = await get(`/${path}${name}`, HTML)
      if (statusCode !== 404 || body.includes('"mappings"')) served.push(`${path}${name}: ${statusCode}`)
    }
  }
  t.strictSame(served, [])
  t.ok(existsSync(folder))
})
