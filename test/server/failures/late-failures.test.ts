// Failures of `server.ts` after the response has begun, over real connections, in a server and in an app.

import { LogController } from 'fastify'
import t, { type Test } from 'tap'
import { findFailing } from '../../find-failing.ts'
import { until } from '../../until.ts'
import { buildFiles } from '../served.ts'
import { ask, type Site, serveAlone, serveInApp, settle } from './late-sites.ts'

const SERVER = `import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
const broken = () => Readable.from((async function* () { yield 'begun'; await new Promise(setImmediate); throw new Error('it broke') })())
const brokenWeb = (error) => new ReadableStream({ async pull(out) {
  await new Promise(setImmediate)
  if (this.isBegun) out.error(error)
  else out.enqueue(Buffer.from('begun'))
  this.isBegun = true
} })
const endless = () => Readable.from((async function* () { while (true) { yield 'x'.repeat(1000); await new Promise(setImmediate) } })())
const left = ({ raw }) => new Promise((resolve) => raw.once('close', resolve))
export default async function server(app) {
  app.get('/node', (_request, reply) => reply.send(broken()))
  app.get('/web', async (_request, reply) => reply.send(brokenWeb(new Error('it broke'))))
  app.get('/response', async () => new Response(brokenWeb(new Error('it broke'))))
  app.get('/text', async () => brokenWeb('it broke'))
  app.get('/replaced', { onSend: async () => broken() }, async () => ({}))
  app.get('/late', { onResponse: async () => { throw new Error('it broke') } }, async () => ({}))
  app.get('/reset', { onResponse: async () => { throw Object.assign(new Error('it broke'), { code: 'ECONNRESET' }) } }, async () => ({}))
  app.get('/refuses', { onResponse: async () => { throw Object.assign(new Error('it broke'), { statusCode: 403 }) } }, async () => ({}))
  app.get('/hijacked', async (_request, reply) => { reply.hijack(); reply.raw.write('begun'); await new Promise(setImmediate); throw new Error('it broke') })
  app.get('/sync', (_request, reply) => { reply.hijack(); throw new Error('it broke') })
  app.get('/raw', async (_request, reply) => { reply.raw.write('begun'); await new Promise(setImmediate); throw new Error('it broke') })
  app.get('/sent', async (_request, reply) => { reply.send({}); throw new Error('it broke') })
  app.get('/sent-sync', (_request, reply) => { reply.send({}); throw new Error('it broke') })
  app.get('/slow-hook', { onSend: async () => {} }, async (_request, reply) => { reply.send({}); throw new Error('it broke') })
  app.register(async (inner) => { inner.get('/inner', async () => broken()) })
  app.get('/fine', async () => ({}))
  app.get('/leaves', async () => endless())
  app.get('/leaves-web', async () => Readable.toWeb(endless()))
  app.get('/leaves-raw', async (_request, reply) => pipeline(endless(), reply.hijack().raw))
  app.get('/leaves-early', async (request) => {
    const stream = new Readable({ read() {} })
    request.raw.once('aborted', () => stream.destroy(new Error('aborted')))
    request.log.info('waits')
    return stream
  })
  app.get('/ended', async () => {
    const stream = new Readable({ read() {} })
    stream.push('begun')
    setImmediate(() => setImmediate(() => stream.destroy()))
    return stream
  })
  app.get('/after-leaving', async (_request, reply) => { reply.hijack().raw.write('begun'); await left(reply); throw new Error('it broke') })
  app.addHook('onSend', async (request, _reply, payload) => (request.headers['x-test'] === 'replace' ? broken() : payload))
  app.addHook('onResponse', async (request) => { if (request.headers['x-test'] === 'late') throw new Error('it broke') })
}
`
const lineOf = (text: string) => SERVER.split('\n').findIndex((line) => line.includes(text)) + 1
const STREAM = lineOf('const broken =')

const dir = await buildFiles(t.testdir({}), {
  'server.ts': SERVER,
  'pages/sends.tsx': 'export default () => null\n',
  'pages/sends.server.ts':
    "export const load = async ({ reply }) => { reply.send('sent'); throw new Error('it broke') }\n",
})

/** A log controller of an app, whose methods need its own `this`. */
class AppController extends LogController {
  #isOff = false
  override isLogDisabled() {
    return this.#isOff
  }
}

const CUT = { status: 200, body: 'begun', isCut: true }
const CASES = [
  { path: '/node', answer: CUT, phase: 'stream', line: STREAM },
  { path: '/web', answer: CUT, phase: 'stream', line: lineOf("'/web'") },
  { path: '/response', answer: CUT, phase: 'stream', line: lineOf("'/response'") },
  { path: '/text', answer: CUT, phase: 'stream', line: lineOf("'/text'") },
  { path: '/replaced', answer: CUT, phase: 'stream', line: STREAM },
  { path: '/', headers: { 'x-test': 'replace' }, answer: CUT, phase: 'stream', line: STREAM },
  { path: '/inner', answer: CUT, phase: 'stream', line: STREAM },
  { path: '/late', answer: { status: 200, isCut: false }, phase: 'route', line: lineOf("'/late'") },
  { path: '/reset', answer: { status: 200, isCut: false }, phase: 'route', line: lineOf("'/reset'") },
  { path: '/refuses', answer: { status: 200, isCut: false }, phase: 'route', line: lineOf("'/refuses'") },
  { path: '/', headers: { 'x-test': 'late' }, answer: { status: 200 }, phase: 'route', line: lineOf("=== 'late'") },
  { path: '/hijacked', answer: CUT, phase: 'route', line: lineOf("'/hijacked'") },
  { path: '/sync', answer: { status: undefined, isCut: true }, phase: 'route', line: lineOf("'/sync'") },
  { path: '/raw', answer: CUT, phase: 'route', line: lineOf("'/raw'") },
  { path: '/sent', answer: { status: 200, body: '{}' }, phase: 'route', line: lineOf("'/sent'") },
  { path: '/sent-sync', answer: { status: 200, body: '{}' }, phase: 'stream', line: lineOf("'/sent-sync'") },
  { path: '/slow-hook', answer: { status: 200, body: '{}' }, phase: 'stream', line: lineOf("'/slow-hook'") },
  { path: '/after-leaving', leaves: true, answer: CUT, phase: 'route', line: lineOf("'/after-leaving'") },
  { path: '/sends', answer: { status: 200, body: 'sent' }, phase: 'load', line: 1, file: 'pages/sends.server.ts' },
]

const SITES: Record<string, (t: Test) => Promise<Site>> = {
  'a server': (t) => serveAlone(t, dir),
  'an app': (t) => serveInApp(t, dir),
  'an app with a log controller': (t) => serveInApp(t, dir, { logController: new AppController() }),
}

for (const [name, serve] of Object.entries(SITES))
  t.test(`a failure after the response has begun is recorded once, in ${name}`, async (t) => {
    const site = await serve(t)
    const { lines } = site.log
    const failing = await findFailing(
      CASES,
      async ({ path, headers, leaves = false, answer, line, file = 'server.ts' }) => {
        lines.length = 0
        site.records.length = 0
        const counted = await site.count()
        const came = await ask(site, path, headers, { leaves })
        await until(() => site.log.errors()[0])
        await settle(site)
        const place = `${file}:${line}:`
        return {
          answer: Object.fromEntries(Object.entries(came).filter(([name]) => name in answer)),
          logged: lines
            .filter(({ level }) => level > 30)
            .map(({ level, phase, err, statusSent, digest }) => {
              const { message, stack = '' } = err ?? {}
              return { level, phase, message, place: stack.includes(place) ? 'right' : stack, statusSent, digest }
            }),
          recorded: site.records.map(({ digest, statusSent }) => ({ digest, statusSent })),
          counted: (await site.count()) - counted,
        }
      },
      ({ answer, phase }) => {
        // Each digest is another one.
        const digest = site.log.errors()[0]?.digest ?? 'a digest'
        const { status } = answer
        return {
          answer,
          logged: [{ level: 50, phase, message: 'it broke', place: 'right', statusSent: status, digest }],
          recorded: [{ digest, statusSent: status ?? null }],
          counted: 1,
        }
      },
    )
    t.strictSame(failing, [])
  })

for (const [name, serve] of Object.entries(SITES))
  t.test(`a client that leaves and a stream that the site ends are no failures, in ${name}`, async (t) => {
    const site = await serve(t)
    for (const path of ['/leaves', '/leaves-web', '/leaves-raw', '/ended']) {
      await ask(site, path, {}, { leaves: true })
      await settle(site)
    }
    const leaving = new AbortController()
    const early = ask(site, '/leaves-early', {}, { signal: leaving.signal })
    await until(() => site.log.lines.find(({ msg }) => msg === 'waits'))
    leaving.abort()
    await early
    await settle(site)
    t.same(site.log.errors(), [])
    t.same(site.records, [])
  })

t.test('routes of the app around the site stay its own', async (t) => {
  const site = await serveInApp(t, dir)
  t.match(await ask(site, '/app'), { status: 200, body: '{}' })
  await settle(site)
  t.match(site.log.errors(), [{ msg: /reply\.sent/, digest: undefined }])
  t.same(site.records, [])
})
