import Fastify, { type LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { hydrant, type LoadContext } from '../../../src/server/index.ts'
import { findFailing } from '../../find-failing.ts'
import { testSite } from '../../test-site.ts'
import { buildFiles, createLog, HTML, JSON_ONLY, serve } from '../served.ts'

const dir = await buildFiles(t.testdir({}), {
  'pages/layout.tsx':
    'export default function Layout({ children, data }) {\n  return <html><body><header>{data.name}</header>{children}</body></html>\n}\n',
  'pages/layout.server.ts': "export const load = () => ({ name: 'of the site' })\n",
  'pages/index.tsx': 'export default function Page() {\n  return <p>home</p>\n}\n',
  'pages/form.tsx': 'export default function Page() {\n  return <p>form</p>\n}\n',
  'pages/hooked.tsx': 'export default function Page() {\n  return <p>hooked</p>\n}\n',
  'pages/redirects.tsx': 'export default function Page() {\n  return <p>never</p>\n}\n',
  'pages/redirects.server.ts': "import { redirect } from 'hydrant'\nexport const load = () => redirect('/form')\n",
  'pages/fails.tsx': 'export default function Page() {\n  return <p>never</p>\n}\n',
  'pages/fails.server.ts': "export const load = () => {\n  throw new Error('no')\n}\n",
  'pages/bad-header.tsx': 'export default function Page() {\n  return <p>never</p>\n}\n',
  'pages/bad-header.server.ts':
    "export const load = ({ reply }) => {\n  reply.header('x-name', 'Łukasz 漢')\n  return {}\n}\n",
  'pages/own-answer.tsx': 'export default function Page() {\n  return <p>never</p>\n}\n',
  'pages/own-answer.server.ts':
    "export const load = ({ reply }) => {\n  reply.type('text/plain').send('an answer of its own')\n}\n",
  'pages/streams.tsx':
    "import { Suspense, use } from 'react'\nfunction Late({ text }) {\n  return <p>{use(text)}</p>\n}\nexport default function Page({ data }) {\n  return <Suspense fallback='wait'><Late text={data.text} /></Suspense>\n}\n",
  'pages/streams.server.ts':
    "export const load = () => ({ text: new Promise((resolve) => setTimeout(resolve, 20, 'late')) })\n",
  'pages/dies-on-send.tsx': 'export default function Page() {\n  return <p>page</p>\n}\n',
  'public/robots.txt': 'User-agent: *\n',
  'server.ts': `import { HttpError, redirect } from 'hydrant'
export default async function server(app) {
  app.decorate('shop', 'shop of the site')
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-site', 'hook')
    if (request.query.member === 'no') throw new HttpError(401, 'Members only')
    if (request.query.broken) throw new Error('the hook is broken')
  })
  app.addHook('onSend', async (request) => {
    const { send } = request.query
    if (send === 'throws' || request.routeOptions.url?.endsWith('/dies-on-send')) throw new Error('onSend is broken')
    if (send === 'refuses') throw Object.assign(new HttpError(403, 'Not for you'), { headers: { 'Retry-After': '60', 'Content-Length': '1' } })
    if (send === 'redirects') redirect('/')
    if (send === 'abroad') redirect('https://other.example/')
  })
  app.post('/form', async (request) => ({ posted: true }))
  app.get('/api', async () => ({ shop: app.shop }))
  app.get('/api/leaves', async () => redirect('/form'))
  app.get('/api/fails', async () => {
    throw new Error('secret text')
  })
  app.get('/api/refuses', async () => {
    throw new HttpError(409, 'Taken')
  })
}
`,
})

t.test('an app around the site does not change', async (t) => {
  const log = createLog()
  const app = Fastify({ logger: log.logger })
  t.teardown(() => app.close())
  const seen: string[] = []
  app.addHook('onRequest', async (request) => void seen.push(request.url))
  app.setErrorHandler(async (error: Error, _, reply) => reply.code(500).send({ own: error.message }))
  app.setNotFoundHandler(async (_, reply) => reply.code(404).send({ own: 'nothing here' }))
  app.get('/own', async () => ({ own: true }))
  app.get('/own/fails', async () => {
    throw new Error('of the app')
  })
  await app.register(hydrant, { dir, base: '/shop' })
  t.strictSame((await app.inject('/own')).json(), { own: true })
  t.strictSame((await app.inject('/own/fails')).json(), { own: 'of the app' }, 'its own error handler')
  t.strictSame((await app.inject('/elsewhere')).json(), { own: 'nothing here' }, 'its own 404')
  t.notOk('x-site' in (await app.inject('/own')).headers, 'the site’s hooks are for the site')
  t.notOk('x-request-id' in (await app.inject('/own')).headers)
  t.notOk(app.hasDecorator('shop'), 'its decorators, too')
  const page = await app.inject({ url: '/shop/form', headers: HTML })
  t.match(page.body, '<p>form</p>')
  t.ok(seen.includes('/shop/form'), 'the app’s hooks hold for pages')
  t.match((await app.inject({ url: '/shop/nowhere', headers: HTML })).body, '<header>of the site</header>')
  t.equal((await app.inject('/shop/')).headers.location, '/shop')
  t.equal((await app.inject('/shopping')).json().own, 'nothing here', 'what only begins like the base is the app’s')
})

t.test('the same site works wherever it is mounted', async (t) => {
  const places = [
    { prefix: undefined, base: undefined, root: '' },
    { prefix: undefined, base: '/shop', root: '/shop' },
    { prefix: '/mount', base: undefined, root: '/mount' },
    { prefix: '/mount/', base: '/shop', root: '/mount/shop' },
    { prefix: '/', base: '/a/b', root: '/a/b' },
  ]
  const failing = await findFailing(
    places,
    async ({ prefix, base, root }) => {
      const app = Fastify()
      t.teardown(() => app.close())
      const options = { dir, ...(base === undefined ? {} : { base }), ...(prefix === undefined ? {} : { prefix }) }
      await app.register(hydrant, options)
      const page = (path: string) => app.inject({ url: root + path || '/', headers: HTML })
      const home = await page('')
      const assets = [...home.body.matchAll(/(?:href|src)="([^"]*\/_hydrant\/[^"]*)"/g)].map(([, url]) => url ?? '')
      const statuses = await Promise.all(assets.map(async (url) => (await app.inject(url)).statusCode))
      const unknown = await page('/nowhere')
      return {
        home: [home.statusCode, home.body.includes('<p>home</p>')],
        hasAssets: assets.length > 2,
        otherAssets: assets.filter((url, at) => !url.startsWith(`${root}/_hydrant/assets/`) || statuses[at] !== 200),
        isForm: (await page('/form')).body.includes('<p>form</p>'),
        file: (await app.inject(`${root}/robots.txt`)).body,
        redirect: (await page('/redirects')).headers.location,
        route: (await app.inject(`${root}/api`)).json(),
        redirectOfRoute: (await app.inject(`${root}/api/leaves`)).headers.location,
        methodOfPage: (await app.inject({ method: 'POST', url: `${root}/form` })).json(),
        elsewhere: (await app.inject('/api')).statusCode,
        slash: (await app.inject(`${root}/form/`)).headers.location,
        otherMethod: (await app.inject({ method: 'POST', url: `${root}/redirects` })).statusCode,
        unknown: [unknown.statusCode, unknown.body.includes('<header>of the site</header>')],
      }
    },
    ({ root }) => ({
      home: [200, true],
      hasAssets: true,
      otherAssets: [],
      isForm: true,
      file: 'User-agent: *\n',
      redirect: `${root}/form`,
      route: { shop: 'shop of the site' },
      redirectOfRoute: `${root}/form`,
      methodOfPage: { posted: true },
      elsewhere: root === '' ? 200 : 404,
      slash: `${root}/form`,
      otherMethod: 405,
      unknown: [404, true],
    }),
  )
  t.strictSame(failing, [])
})

t.test('one app can have two sites next to each other', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(hydrant, { dir, base: '/one' })
  await app.register(hydrant, { dir, base: '/two', csp: false })
  for (const base of ['/one', '/two']) {
    const response = await app.inject({ url: `${base}/form`, headers: HTML })
    t.match(response.body, '<p>form</p>')
    t.match(response.body, `"${base}/_hydrant/assets/`)
    t.equal('content-security-policy' in response.headers, base === '/one')
    t.strictSame((await app.inject(`${base}/api`)).json(), { shop: 'shop of the site' })
  }
})

t.test('the site’s server.ts applies to its pages', async (t) => {
  const { app, get, failuresOf } = await serve(t, dir)
  t.equal((await get('/')).headers['x-site'], 'hook')
  t.strictSame((await app.inject('/api')).json(), { shop: 'shop of the site' })
  t.strictSame(
    (await app.inject({ method: 'POST', url: '/form' })).json(),
    { posted: true },
    'a method of a page’s address',
  )
  t.match((await get('/form')).body, '<p>form</p>', 'whose page is as before')
  const refused = await app.inject({ method: 'PUT', url: '/form', headers: HTML })
  t.equal(refused.statusCode, 405)
  t.strictSame(String(refused.headers.allow).split(', ').sort(), ['GET', 'HEAD', 'POST'], 'all that the address takes')

  const unauthorized = await get('/hooked?member=no')
  t.equal(unauthorized.statusCode, 401)
  t.match(unauthorized.body, '<header>of the site</header>', 'inside the layouts')
  t.match(unauthorized.body, '401 Members only')
  t.notMatch(unauthorized.body, '<p>hooked</p>')
  t.match((await get('/hooked?member=no', JSON_ONLY)).json(), { status: 401, detail: 'Members only' })

  const broken = await get('/hooked?broken=1')
  t.equal(broken.statusCode, 500)
  t.match(broken.body, '<header>of the site</header>')
  t.match(broken.body, `Digest: ${broken.headers['x-error-digest']}`)
  t.match(failuresOf(broken), [{ phase: 'route', err: { message: 'the hook is broken', stack: /server\.ts:7:/ } }])
})

t.test('a route of server.ts sends errors in the requested form', async (t) => {
  const { get, failuresOf } = await serve(t, dir)
  for (const accept of [JSON_ONLY, { accept: '*/*' }]) {
    const failed = await get('/api/fails', accept)
    t.equal(failed.statusCode, 500)
    t.equal(failed.headers['content-type'], 'application/problem+json; charset=utf-8')
    t.match(failed.json(), { status: 500, instance: '/api/fails', digest: failed.headers['x-error-digest'] })
    t.notMatch(failed.body, 'secret')
    t.match(failuresOf(failed), [{ phase: 'route', route: '/api/fails' }])
    t.match((await get('/api/refuses', accept)).json(), { status: 409, detail: 'Taken', title: 'Conflict' })
  }
  const shown = await get('/api/fails')
  t.equal(shown.headers['content-type'], 'text/html; charset=utf-8')
  t.match(shown.body, '<header>of the site</header>')
  t.match((await get('/api/refuses')).body, '409 Taken')
})

t.test('changes of a load or a hook to the response end in one response', async (t) => {
  const { app, get, failuresOf } = await serve(t, dir)
  t.equal((await get('/own-answer')).body, 'an answer of its own')
  const badHeader = await get('/bad-header')
  t.equal(badHeader.statusCode, 500, 'a header that cannot be sent')
  t.equal(failuresOf(badHeader).length, 1)
  const onSend = await get('/dies-on-send')
  t.equal(onSend.statusCode, 500, 'an onSend hook that throws')
  t.notMatch(onSend.body, 'onSend is broken')
  t.equal(failuresOf(onSend).length, 1)
  t.equal((await app.inject({ url: '/form', headers: HTML })).statusCode, 200)
})

/** Returns what a response as JSON tells about a failure. */
function problemOf(response: LightMyRequestResponse, digest: string | undefined) {
  const { status, instance, digest: told } = response.json()
  return { status, hasDigest: told === digest, instance }
}

/** Returns what a document tells about a failure, whether its script may run, and how many it has. */
function documentOf({ body, headers }: LightMyRequestResponse, digest: string | undefined) {
  const nonce = /<script nonce="([^"]+)">/.exec(body)?.[1]
  return {
    hasDigest: body.includes(`Digest: ${digest}`),
    mayRun: String(headers['content-security-policy']).includes(`'nonce-${nonce}'`),
    // The script of the development server would be a second one.
    scripts: body.match(/<script/g)?.length,
  }
}

t.test('a hook that throws for every response reveals nothing to the visitor', async (t) => {
  const { app, log, get, failuresOf } = await serve(t, dir)
  const mounted = Fastify()
  t.teardown(() => mounted.close())
  let isAsked = false
  mounted.setErrorHandler(async (error: Error, _, reply) => {
    isAsked = true
    return reply.code(500).send({ own: error.message })
  })
  await mounted.register(hydrant, { dir })
  const paths = ['/form', '/streams', '/fails', '/redirects', '/nowhere', '/api', '/api/fails', '/robots.txt']
  const failing = await findFailing(
    paths.flatMap((path) => [HTML, JSON_ONLY].map((accept) => ({ path, accept }))),
    async ({ path, accept }) => {
      const url = `${path}?send=throws`
      const response = await get(url, accept)
      const { statusCode, headers, body } = response
      const [first, ...others] = failuresOf(response)
      const { phase, err, digest } = first ?? {}
      const isOfHook =
        phase === 'route' && err?.message === 'onSend is broken' && /server\.ts:11:/.test(err.stack ?? '')
      const inApp = await mounted.inject({ url, headers: accept })
      return {
        statuses: [statusCode, inApp.statusCode],
        revealed: /onSend is broken|secret text|FST_/.exec(body)?.[0] ?? /onSend is broken/.exec(inApp.body)?.[0],
        headers: [headers['cache-control'], headers.vary, headers['content-type']],
        hasDigest: digest !== undefined && headers['x-error-digest'] === digest,
        isOfHook,
        others: others.length,
        shown: accept === JSON_ONLY ? problemOf(response, digest) : documentOf(response, digest),
      }
    },
    ({ path, accept }) => {
      // Each failure is told once, and the first is shown.
      const isFailing = path.endsWith('fails')
      const isJson = accept === JSON_ONLY
      return {
        statuses: [500, 500],
        revealed: undefined,
        headers: [
          'no-store',
          'Accept',
          isJson ? 'application/problem+json; charset=utf-8' : 'text/html; charset=utf-8',
        ],
        hasDigest: true,
        isOfHook: !isFailing,
        others: isFailing ? 1 : 0,
        shown: isJson
          ? { status: 500, hasDigest: true, instance: path }
          : { hasDigest: true, mayRun: true, scripts: 1 },
      }
    },
  )
  t.strictSame(failing, [])
  t.notOk(isAsked, 'whose own handler is not asked')
  const head = await app.inject({ method: 'HEAD', url: '/form?send=throws', headers: HTML })
  t.equal(head.statusCode, 500)
  t.equal(head.body, '')
  const refused = await get('/form?send=refuses')
  t.equal(refused.statusCode, 403, 'a refusal is meant for the visitor')
  t.match(refused.body, '403 Not for you')
  t.equal(refused.headers['retry-after'], '60', 'a refusal has its headers')
  t.equal(Number(refused.headers['content-length']), Buffer.byteLength(refused.body))
  t.notOk('x-error-digest' in refused.headers)
  const redirected = await get('/form?send=redirects')
  t.match([redirected.statusCode, redirected.headers.location], [302, '/'])
  const foreign = await get('/form?send=abroad')
  t.equal(foreign.statusCode, 500)
  t.match(failuresOf(foreign), [{ err: { message: /other\.example/ } }])
  t.strictSame(
    log.lines.filter(({ msg }) => /already sent|unhandled/i.test(msg)),
    [],
  )
  t.equal((await get('/form')).statusCode, 200)
})

t.test('a header that cannot be sent is a failure in a site without hooks too', async (t) => {
  const load = ({ reply }: LoadContext) => void reply.header('x-name', 'Łukasz 漢')
  const { get, failuresOf } = await testSite(t, { '/bad-header': { load } })
  for (const accept of [HTML, JSON_ONLY]) {
    const response = await get('/bad-header', accept)
    t.equal(response.statusCode, 500)
    const failures = failuresOf(response)
    t.ok(failures.every(({ err }) => err?.message.includes('x-name')))
    t.equal(response.headers['x-error-digest'], failures[0]?.digest)
    t.match(response.body, failures[0]?.digest)
    t.equal(response.headers['cache-control'], 'no-store')
  }
})

t.test('without a policy the document is the same', async (t) => {
  const { get } = await serve(t, dir, { csp: false })
  const response = await get('/')
  t.notOk('content-security-policy' in response.headers)
  t.match(response.body, '<p>home</p>')
  t.notOk('content-security-policy' in (await get('/fails')).headers)
})

t.test('a policy of the app itself stays', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.decorateReply('cspNonce')
  // This is the effect of @fastify/helmet with `enableCSPNonces`.
  app.addHook('onRequest', async (_, reply) => {
    Object.assign(reply, { cspNonce: { script: 'b3du', style: 'b3Ro' } })
    reply.header('content-security-policy', "script-src 'nonce-b3du'")
  })
  await app.register(hydrant, { dir })
  for (const path of ['/', '/fails', '/nowhere']) {
    const { headers, body } = await app.inject({ url: path, headers: HTML })
    t.equal(headers['content-security-policy'], "script-src 'nonce-b3du'")
    for (const [script] of body.matchAll(/<script[^>]*>/g)) t.match(script, 'nonce="b3du"', path)
  }
})

t.test('options are checked before anything is served', async (t) => {
  for (const [options, code] of [
    [{ dir, bsae: '/x' }, 'HYD_OPTION_UNKNOWN'],
    [{ dir, base: 'x' }, 'HYD_OPTION_INVALID'],
    [{}, 'HYD_OPTION_INVALID'],
    [{ dir: 5 }, 'HYD_OPTION_INVALID'],
    [{ dir: `${dir}/pages` }, 'HYD_BUILD_MISSING'],
  ] as const) {
    // Wrong on purpose, as a JavaScript caller could pass it.
    await t.rejects(async () => await Fastify().register(hydrant, options as never), { code }, JSON.stringify(options))
  }
})

t.test('the build may be in another folder', async (t) => {
  for (const buildDir of [`${dir}/.hydrant`, `${dir.slice(process.cwd().length + 1)}/.hydrant`]) {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(hydrant, { dir: 'anywhere', buildDir })
    t.match((await app.inject({ url: '/form', headers: HTML })).body, '<p>form</p>', buildDir)
  }
})
