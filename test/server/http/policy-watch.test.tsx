// In development, a policy that blocks the scripts of pages causes one warning, whatever code has set it.

import { setTimeout as sleep } from 'node:timers/promises'
import helmet from '@fastify/helmet'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type ReactNode, Suspense, use } from 'react'
import t, { type Test } from 'tap'
import type { LoadContext } from '../../../src/server/index.ts'
import { hydrant } from '../../../src/server/plugin.ts'
import { testSite, writeTestSite } from '../../test-site.ts'
import { createLog, HTML, JSON_ONLY, type Log } from '../served.ts'

const NAME = 'content-security-policy'
const POLICY = "script-src 'self'"

/** Changes that the site makes to its policy. They are read when a page is served. */
interface Case {
  hook?: 'onRequest' | 'onSend'
  /** In that hook. */
  set?(request: FastifyRequest, reply: FastifyReply): void
  /** A plugin of the site. */
  register?(app: FastifyInstance): Promise<void>
  /** The policy of a load. */
  load?: string
  /** The policy of an element in the layout. */
  meta?: string
}
function siteOf({ load, meta }: Case) {
  return {
    '/layout': ({ children }: { children: ReactNode }) => (
      <html lang="en">
        <head>{meta && <meta httpEquiv="Content-Security-Policy" content={meta} />}</head>
        <body>{children}</body>
      </html>
    ),
    '/': { load: ({ reply }: LoadContext) => void (load && reply.header(NAME, load)) },
    '/late': {
      Component: ({ data }: { data: { late: Promise<string> } }) => (
        <Suspense fallback="…">
          <Late {...data} />
        </Suspense>
      ),
      load: () => ({ late: sleep(5, 'late') }),
    },
    '/fails'() {
      throw new Error('no')
    },
    '/data': { load: () => ({ a: 1 }) },
  }
}

/** Serves a site with such changes, in development. */
function serveCase(t: Test, own: Case, { csp = true, mode = 'development' as 'development' | 'production' } = {}) {
  async function server(app: FastifyInstance) {
    const { hook, set, register } = own
    await register?.(app)
    // Fastify's types have no union of hooks.
    if (hook) app.addHook(hook as 'onRequest', async (request, reply) => set?.(request, reply))
  }
  return testSite(t, siteOf(own), { server, ledger: false, csp, mode })
}

function Late({ late }: { late: Promise<string> }) {
  return <p>{use(late)}</p>
}

const warnings = ({ lines }: Log) => lines.filter(({ level }) => level === 40)

async function visitAll(app: FastifyInstance) {
  for (const url of ['/', '/late', '/fails', '/nowhere', '/data', '/'])
    for (const headers of [HTML, JSON_ONLY]) await app.inject({ url, headers })
}

function checkTold(t: Test, log: Log, route: string, told: RegExp) {
  const [line, ...more] = warnings(log)
  t.match(line, { code: 'HYD_POLICY_SCRIPTS', route })
  t.match(line?.msg, told)
  t.match(line?.msg, /cspNonce/, 'and a fix')
  t.strictSame(more, [], 'once')
}

const BLOCKING: Record<string, Case & { route?: string; told?: RegExp }> = {
  'helmet without nonces': { register: async (app) => void (await app.register(helmet)) },
  'a hook of server.ts': { hook: 'onRequest', set: (_request, reply) => void reply.header(NAME, POLICY) },
  'a hook that comes last': { hook: 'onSend', set: (_request, reply) => void reply.header(NAME, POLICY) },
  'a header on Node’s own response': {
    hook: 'onRequest',
    set: (_request, reply) => void reply.raw.setHeader('Content-Security-Policy', ['base-uri *', POLICY]),
  },
  'a nonce that Hydrant does not know': {
    hook: 'onSend',
    set: (_request, reply) => void reply.header(NAME, "script-src 'nonce-mine'"),
    told: /'nonce-mine'/,
  },
  'a load': { load: "default-src 'self'", told: /default-src 'self'/ },
  'a page that comes late': {
    hook: 'onSend',
    set: ({ url }, reply) => void (url === '/late' && reply.header(NAME, 'sandbox')),
    route: '/late',
    told: /sandbox/,
  },
  'a document that fails': {
    hook: 'onSend',
    set: (_request, reply) => void (reply.statusCode === 500 && reply.header(NAME, POLICY)),
    route: '/fails',
  },
  'an element of the layout': { meta: POLICY, told: /\(element in the head\) of \/ .*script-src 'self'/ },
}

for (const [kind, { route = '/', told = /script-src 'self'/, ...own }] of Object.entries(BLOCKING)) {
  t.test(`a policy of ${kind}`, async (t) => {
    const { app, log } = await serveCase(t, own)
    await visitAll(app)
    checkTold(t, log, route, told)
  })
}

t.test('in production nothing warns', async (t) => {
  for (const own of Object.values(BLOCKING)) {
    const { app, log } = await serveCase(t, own, { mode: 'production' })
    await visitAll(app)
    t.strictSame(warnings(log), [])
  }
})

t.test('a policy of the app around the site', async (t) => {
  const log = createLog()
  const app = Fastify({ logger: log.logger })
  t.teardown(() => app.close())
  await app.register(helmet)
  await app.register(hydrant, { dir: writeTestSite(t.testdir({}), siteOf({}), { mode: 'development' }), ledger: false })
  await visitAll(app)
  checkTold(t, log, '/', /\(header\) of \/ blocks the scripts .*: script-src 'self'/)
})

t.test('a policy of a hook that changes only some documents', async (t) => {
  const { app, log } = await serveCase(t, {
    hook: 'onRequest',
    set: ({ headers }, reply) => void (headers['x-strict'] && reply.header(NAME, POLICY)),
  })
  for (let time = 0; time < 30; time++) await app.inject({ url: '/', headers: HTML })
  t.strictSame(warnings(log), [])
  await app.inject({ url: '/', headers: { ...HTML, 'x-strict': '1' } })
  checkTold(t, log, '/', /script-src 'self'/)
})

t.test('policies that allow the scripts cause no warning', async (t) => {
  const kinds: Record<string, Case> = {
    'Hydrant’s own': {},
    'helmet with nonces': { register: async (app) => void (await app.register(helmet, { enableCSPNonces: true })) },
    'a nonce of the site’s own': {
      register: async (app) => void app.decorateReply('cspNonce', null as never),
      hook: 'onRequest',
      set(_request, reply) {
        Object.assign(reply, { cspNonce: { script: 'mine', style: '' } })
        reply.header(NAME, "script-src 'nonce-mine' 'strict-dynamic'")
      },
    },
    'no scripts limited': { hook: 'onSend', set: (_request, reply) => void reply.header(NAME, "img-src 'self'") },
    'only reported': {
      hook: 'onSend',
      set: (_request, reply) => void reply.header('content-security-policy-report-only', POLICY),
    },
    'none at all': { hook: 'onSend', set: (_request, reply) => void reply.removeHeader(NAME) },
    'in an element, of images': { meta: "img-src 'self'" },
    'of a route': {
      register: async (app) => void app.get('/own', async (_request, reply) => reply.header(NAME, POLICY).send('own')),
    },
  }
  for (const [kind, own] of Object.entries(kinds)) {
    for (const csp of [true, false]) {
      const { app, log } = await serveCase(t, own, { csp })
      await visitAll(app)
      await app.inject('/own')
      t.strictSame(warnings(log), [], kind)
    }
  }
})

t.test(
  'a response in place of one that cannot be sent has its own policy and phrase, and causes no warning',
  async (t) => {
    const set = (_request: FastifyRequest, reply: FastifyReply) => void reply.header('x-name', 'a\nb')
    const { app, log } = await serveCase(t, { hook: 'onSend', set })
    for (const url of ['/', '/nowhere']) {
      const { statusCode, statusMessage, headers, body } = await app.inject({ url, headers: HTML })
      t.strictSame([statusCode, statusMessage], [500, 'Internal Server Error'], url)
      const [, nonce = ''] = /'nonce-([^']+)'/.exec(String(headers['content-security-policy'])) ?? []
      t.match(body, `nonce="${nonce}"`)
    }
    t.strictSame(warnings(log), [])
  },
)

t.test('an error in place of a document has its own policy', async (t) => {
  const set = (_request: FastifyRequest, reply: FastifyReply) => {
    if (reply.statusCode === 200) throw new Error('no')
  }
  const { app, log } = await serveCase(t, { hook: 'onSend', set })
  const { statusCode, headers, body } = await app.inject({ url: '/', headers: HTML })
  t.equal(statusCode, 500)
  const [, nonce = ''] = /'nonce-([^']+)'/.exec(String(headers['content-security-policy'])) ?? []
  t.match(body, `nonce="${nonce}"`)
  t.strictSame(warnings(log), [])
})
