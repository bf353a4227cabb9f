import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { isAllowedHost, isForeign, isSameOrigin } from '../../scripts/dev/http/dev-access.ts'
import { isRelevant } from '../../scripts/dev/watch/watch-site.ts'
import type { DevErrors, DevReload, DevUpdate } from '../../src/shared/wire/dev-protocol.ts'
import { PATIENCE_MS } from '../until.ts'
import { createSite } from './create-site.ts'
import { runCli, startCli } from './run-cli.ts'

const page = (text: string) => `export default () => <p>${text}</p>\n`

async function startDev(t: Test, files: Record<string, string>, args: string[] = []) {
  const dir = createSite(t, files)
  const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1', ...args])
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  const write = (path: string, contents: string) => writeFileSync(join(dir, path), contents)
  return { dir, dev, url, write }
}

/** Sends a request under any host name and origin, which `fetch` does not allow. */
async function ask(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const sent = request(url, { headers }).end()
  const [response] = await once(sent, 'response')
  response.destroy()
  return response.statusCode
}

/**
 * The headers that a browser sends before it lets a page of another site, in a public network, access this machine.
 */
const PREFLIGHT = {
  origin: 'http://evil.example',
  'access-control-request-method': 'GET',
  'access-control-request-private-network': 'true',
}

/** Returns the status of a WebSocket's request. Null if the connection is closed without one. */
function upgrade(url: string, headers: Record<string, string>): Promise<number | null> {
  return new Promise((resolve) => {
    const sent = request(url, { headers: { connection: 'Upgrade', upgrade: 'websocket', ...headers } }).end()
    sent.on('upgrade', ({ statusCode = null }, socket) => {
      socket.destroy()
      resolve(statusCode)
    })
    sent.on('error', () => resolve(null))
  })
}

type Message = Pick<DevUpdate | DevReload | DevErrors, 'type'> & Partial<DevErrors>

/** Returns the events of an EventSource, one by one. */
async function listen(t: Test, url: string, headers: Record<string, string> = {}) {
  const abort = new AbortController()
  t.teardown(() => abort.abort())
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: abort.signal })
  t.match(response.headers.get('content-type'), 'text/event-stream')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return async () => {
    while (!text.includes('\n\n')) text += (await reader?.read())?.value ?? ''
    const [event = ''] = text.split('\n\n')
    text = text.slice(event.length + 2)
    return event
  }
}

/** Waits for the next change, and skips the lists of errors. */
async function nextChange(next: () => Promise<string>): Promise<Message['type']> {
  const { type } = messageIn(await next())
  return type === 'errors' ? nextChange(next) : type
}

/** Waits for a list of errors that is not empty. */
async function nextErrors(next: () => Promise<string>): Promise<NonNullable<Message['errors']>> {
  const { errors = [] } = messageIn(await next())
  return errors.length > 0 ? errors : nextErrors(next)
}

function messageIn(event: string): Message {
  // The server writes messages of these types.
  return JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '{"type":"errors","errors":[]}') as Message
}

t.test('a site and its pages', async (t) => {
  const { dir, url, dev, write } = await startDev(t, {
    'pages/index.tsx': page('one'),
    'pages/index.server.ts': "export const load = () => process.env.NODE_ENV ?? ''\n",
    'pages/other.tsx': page('other'),
    'server.ts':
      "export default async function server(app) {\n  app.get('/api', async () => 'api')\n  app.server.on('upgrade', (request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n'))\n}\n",
  })
  const events = new URL('/_hydrant/dev', url).href

  await t.test('sends no reload when it has read the site', async (t) => {
    // The site has not been read yet.
    const next = await listen(t, events)
    t.match(await next(), /^retry: /)
    t.match(await (await fetch(url)).text(), 'one')
    write('pages/index.tsx', page('two'))
    t.equal(await nextChange(next), 'update')
  })

  await t.test('serves a site, builds it again when it changes, and notifies the browser', async (t) => {
    t.match(await (await fetch(url)).text(), 'two')
    t.equal(await (await fetch(url, { headers: { accept: 'application/json' } })).json(), 'development')
    const next = await listen(t, events)
    t.match(await next(), /^retry: \d+\nid: \S+$/)

    write('pages/index.tsx', page('three'))
    t.equal(await nextChange(next), 'update')
    t.match(await (await fetch(url)).text(), 'three')
    await dev.waitFor(/^updated in .*\(pages\/index\.tsx\)$/)

    write('pages/new.tsx', page('four'))
    t.equal(await nextChange(next), 'update')
    t.match(await (await fetch(new URL('/new', url))).text(), 'four')
  })

  await t.test('responds only under a name of this machine, and sends events only to its own pages', async (t) => {
    const port = new URL(url).port
    t.equal(await ask(url, { host: `localhost:${port}` }), 200)
    t.equal(await ask(url, { host: `evil.example:${port}` }), 403)
    t.equal(await ask(events, { 'sec-fetch-site': 'same-origin' }), 200)
    t.equal(await ask(events, { 'sec-fetch-site': 'cross-site' }), 403)
    t.equal(await ask(events, { origin: 'http://evil.example' }), 403)
  })

  await t.test('a page of another site reads nothing, whatever it tries', async (t) => {
    const [, entry = ''] = /src="([^"]+\.js)"/.exec(await (await fetch(url)).text()) ?? []
    const elsewhere = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }
    for (const path of ['/', '/api', entry, '/?_hydrant', '/_hydrant/dev', '/no-such-page']) {
      const address = new URL(path, url).href
      for (const mode of ['cors', 'no-cors', 'websocket']) {
        t.equal(await ask(address, { ...elsewhere, 'sec-fetch-mode': mode }), 403, `${path} by ${mode}`)
      }
      t.equal(await ask(address, { origin: 'http://evil.example' }), 403, `${path}, to http at an address`)
      const { headers } = await fetch(address, { method: 'OPTIONS', headers: PREFLIGHT })
      for (const name of ['access-control-allow-origin', 'access-control-allow-private-network']) {
        t.equal(headers.get(name), null, `${name} for ${path}`)
      }
      t.equal(headers.get('cross-origin-resource-policy'), 'same-site')
    }
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    t.equal(await ask(url, link), 200, 'a link leads here')
    t.equal(await upgrade(url, { origin: new URL(url).origin }), 101)
    t.equal(await upgrade(url, { origin: 'http://evil.example' }), null)
    t.equal(await upgrade(url, { host: 'evil.example', origin: 'http://evil.example' }), null, 'by DNS rebinding')
  })

  await t.test('sends missed changes to a browser that reconnects', async (t) => {
    const first = await (await listen(t, events))()
    const [, id = ''] = /id: (\S+)/.exec(first) ?? []
    const known = await listen(t, events, { 'last-event-id': id })
    t.match(await known(), 'retry: ')
    t.match(messageIn(await known()), { type: 'errors', errors: [] })
    const unknown = await listen(t, events, { 'last-event-id': 'of-another-server' })
    t.match(await unknown(), 'retry: ')
    t.match(messageIn(await unknown()), { type: 'reload' })
  })

  await t.test('says nothing about the paths that browsers ask for by themselves', async (t) => {
    const probes = ['favicon.ico', '.well-known/appspecific/com.chrome.devtools.json', 'apple-touch-icon-120x120.png']
    for (const path of [...probes, 'nowhere/favicon'])
      t.equal((await fetch(new URL(path, url), { headers: { accept: 'text/html' } })).status, 404)
    await dev.waitFor(/^ +url: "\/nowhere\/favicon"/)
    t.strictSame(
      dev.lines.filter((line) => probes.some((path) => line.includes(path))),
      [],
    )
    t.equal(dev.lines.filter((line) => line.includes('refused with 404')).length, 1)
  })

  await t.test('ends with 1 when its port is in use', async (t) => {
    const second = await runCli(['dev', dir, '--host', '127.0.0.1', '--port', new URL(url).port])
    t.match(second, { code: 1, stderr: 'Error [HYD_PORT_IN_USE]' })
  })

  await t.test('a module that does not compile fails its import, and does not hang', async (t) => {
    const textAt = async (path: string) => (await fetch(new URL(path, url))).text()
    const [root = ''] = /\/_hydrant\/assets\/other-\w+\.root\.js/.exec(await textAt('/other')) ?? []
    const [, script = ''] = /"\.(\/other-[^"]+)"/.exec(await textAt(root)) ?? []
    write('pages/other.tsx', 'export default () => <p>one</b>\n')
    const broken = await fetch(new URL(`/_hydrant/assets${script}`, url), { signal: AbortSignal.timeout(PATIENCE_MS) })
    t.equal(broken.status, 500)
    t.equal(broken.headers.get('cache-control'), 'no-store')
    t.match(await broken.text(), 'pages/other.tsx:1:')
  })

  t.equal(await dev.stop('SIGINT'), 0)
})

t.test('reads the configuration again with the changed variables of a file', async (t) => {
  const variables = (host: string) => `TUNNEL_HOST=${host}.example\nMAP_KEY=${host}\n`
  const { url, dev, write } = await startDev(t, {
    'pages/index.tsx': 'export default () => <p>key of {MAP_KEY}</p>\n',
    'hydrant.config.ts':
      'export default { hosts: [process.env.TUNNEL_HOST], esbuild: { define: { MAP_KEY: JSON.stringify(process.env.MAP_KEY) } } }\n',
    '.env': variables('one'),
  })
  const next = await listen(t, new URL('/_hydrant/dev', url).href)
  await next()
  await dev.waitFor(/^ready in/)
  t.match(await (await fetch(url)).text(), /key of (<!-- -->)?one/)
  t.equal(await ask(url, { host: 'one.example' }), 200)
  write('.env', variables('two'))
  t.equal(await nextChange(next), 'reload')
  t.match(await (await fetch(url)).text(), /key of (<!-- -->)?two/)
  t.equal(await ask(url, { host: 'two.example' }), 200)
  t.equal(await ask(url, { host: 'one.example' }), 403)
})

t.test('shows problems in the terminal and in the browser until they are fixed', async (t) => {
  const { url, dev, write } = await startDev(t, { 'pages/index.tsx': page('one') }, ['--base', '/shop'])
  t.match(url, /\/shop$/)
  const next = await listen(t, `${url}/_hydrant/dev`)
  await next()
  write('pages/index.tsx', 'export default () => <p>{"<i>"}</b>\n')
  t.match(await nextErrors(next), [{ kind: 'build', code: 'HYD_BUILD_SYNTAX' }])
  await dev.waitFor(/^Error \[HYD_BUILD_SYNTAX\]/)
  await dev.waitFor(/^pages\/index\.tsx:1:/)
  const broken = await fetch(url)
  t.equal(broken.status, 500)
  t.equal(broken.headers.get('cache-control'), 'no-store')
  const text = await broken.text()
  t.match(text, 'Error [HYD_BUILD_SYNTAX]')
  t.match(text, '&#60;i&#62;')
  t.match(text, '"base":"/shop"')

  write('pages/index.tsx', page('mended'))
  t.ok(await nextChange(next))
  const mended = await fetch(url)
  t.equal(mended.status, 200)
  t.match(await mended.text(), 'mended')
})

t.test('a server plugin and a configuration that change', async (t) => {
  const { url, dev, write } = await startDev(t, {
    'server.ts': "export default async () => { throw new Error('no database') }\n",
  })
  const next = await listen(t, new URL('/_hydrant/dev', url).href)
  await next()

  await t.test('starts with a broken site, and survives one whose server plugin throws', async (t) => {
    const broken = await fetch(url)
    t.equal(broken.status, 500)
    t.match(await broken.text(), 'no database')
    await nextErrors(next)
    write('server.ts', 'export default async (app) => { app.get("/own", async () => "mended") }\n')
    t.ok(await nextChange(next))
    t.equal(await (await fetch(new URL('/own', url))).text(), 'mended')
  })

  await t.test('lets a request finish in the app that received it, and then closes that app', async (t) => {
    const server = (text: string) => `
      export default async function server(app) {
        const waiting = []
        app.get('/slow', () => new Promise((answer) => { waiting.push(answer); console.log('slow came') }))
        app.addHook('onClose', async () => console.log('closed ${text}'))
        globalThis.answer ??= () => { for (const answer of waiting) answer('from ${text}') }
        app.get('/answer', async () => { globalThis.answer(); return 'done' })
      }`
    write('server.ts', server('one'))
    await nextChange(next)
    const slow = fetch(new URL('/slow', url))
    await dev.waitFor(/^slow came$/)
    write('server.ts', server('two'))
    t.ok(await nextChange(next))
    t.equal(await (await fetch(new URL('/answer', url))).text(), 'done')
    t.equal(await (await slow).text(), 'from one')
    await dev.waitFor(/^closed one$/)
  })

  await t.test(
    'applies changes of the configuration, and bundles no packages for those that do not concern them',
    async (t) => {
      const before = dev.lines.length
      for (const base of ['/one', '/two']) {
        write('hydrant.config.ts', `export default { base: '${base}' }\n`)
        t.ok(await nextChange(next))
        t.equal((await fetch(new URL(base, url))).status, 200)
      }
      t.equal((await fetch(url)).status, 404)
      t.equal((await fetch(new URL('/one', url))).status, 404)
      t.notMatch(dev.lines.slice(before).join('\n'), 'bundling the packages')
    },
  )

  t.equal(await dev.stop('SIGTERM'), 0)
})

t.test('knows the names of this machine', async (t) => {
  for (const host of [
    'localhost',
    'localhost:3000',
    'app.localhost',
    '127.0.0.1:1',
    '[::1]:3000',
    '10.0.0.3',
    'my.test:80',
  ]) {
    t.ok(isAllowedHost(host, 'my.test'), host)
  }
  for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '', 'a b', undefined]) {
    t.notOk(isAllowedHost(host, 'my.test'), String(host))
  }
})

t.test('knows its own pages', async (t) => {
  t.ok(isSameOrigin({ host: 'localhost:1' }))
  t.ok(isSameOrigin({ host: 'localhost:1', origin: 'http://localhost:1' }))
  t.notOk(isSameOrigin({ host: 'localhost:1', origin: 'http://localhost:2' }))
  t.notOk(isSameOrigin({ host: 'localhost:1', origin: 'null' }))
  t.notOk(isSameOrigin({ host: 'localhost:1', 'sec-fetch-site': 'same-site' }))
})

t.test('recognizes pages of other sites', async (t) => {
  const host = 'localhost:3000'
  for (const headers of [
    { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    { host, origin: 'http://evil.example' },
    { host, origin: 'http://localhost.evil.example' },
    { host, origin: 'null' },
  ]) {
    t.ok(isForeign(headers, ['https://app.example']), JSON.stringify(headers))
  }
  for (const headers of [
    { host },
    { host, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
    { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', origin: 'https://app.example' },
    { host, origin: 'http://localhost:5173' },
  ]) {
    t.notOk(isForeign(headers, ['https://app.example']), JSON.stringify(headers))
  }
})

t.test('builds again when a source of the build changes, and not when a site’s own data does', async (t) => {
  const files = ['pages/index.tsx', 'lib.ts', 'data/terms.json', 'schema.graphql']
  const isInput = (path: string) => files.includes(path)
  t.ok(isRelevant({ kind: 'change', path: 'lib.ts' }, isInput, false))
  t.ok(isRelevant({ kind: 'unlink', path: 'data/terms.json' }, isInput, false))
  t.ok(isRelevant({ kind: 'add', path: 'pages/new.tsx' }, isInput, false))
  t.ok(isRelevant({ kind: 'add', path: 'public/a.bin' }, isInput, false))
  t.ok(isRelevant({ kind: 'change', path: 'public/a.bin' }, isInput, false))
  t.ok(isRelevant({ kind: 'change', path: 'tsconfig.json' }, isInput, false))
  t.ok(isRelevant({ kind: 'change', path: 'other.ts' }, isInput, true), 'anything may mend a broken build')
  t.ok(isRelevant({ kind: 'change', path: 'schema.graphql' }, isInput, true), 'also a file of another kind')
  t.notOk(isRelevant({ kind: 'change', path: 'other.ts' }, isInput, false))
  t.notOk(isRelevant({ kind: 'change', path: 'hydrant-errors.db-wal' }, isInput, true))
  t.notOk(isRelevant({ kind: 'add', path: 'hydrant-env.d.ts' }, isInput, true), 'what the build writes starts no other')
  t.notOk(isRelevant({ kind: 'add', path: 'site.log' }, isInput, true))
  const isInFolder = (_: string, viaFolders: boolean) => viaFolders
  t.ok(isRelevant({ kind: 'change', path: 'new.tsx' }, isInFolder, false))
  t.ok(isRelevant({ kind: 'add', path: 'new.txt' }, isInFolder, false))
  t.notOk(isRelevant({ kind: 'change', path: 'site.log' }, isInFolder, false), 'a log in a folder that Tailwind reads')
  t.notOk(isRelevant({ kind: 'add', path: 'site.db-journal' }, isInFolder, true), 'what a start that fails has added')
})

t.test('a folder that is no site is left as it was', async (t) => {
  const dir = t.testdir({ 'a.txt': 'a' })
  const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'])
  await dev.waitFor(/HYD_BUILD_PAGES_MISSING/)
  await dev.waitFor(/^Try: Create a new site with "npx hydrant create my-site"/)
  await dev.stop('SIGINT')
  t.strictSame(
    readdirSync(dir).filter((name) => name !== 'node_modules'),
    ['a.txt'],
  )
})

t.test('warnings about a stylesheet appear after an edit, with and without an open page', async (t) => {
  const { dev, url, write } = await startDev(t, {
    'pages/index.tsx': `import './index.css'\n${page('one')}`,
    'pages/index.css': 'p { color: red }\n',
  })
  await dev.waitFor(/^ready in/)
  write('pages/index.css', 'p { colr: red }\n')
  await dev.waitFor(/^Warning .*"colr" is not a known CSS property/)
  await dev.waitFor(/^ {2}at pages\/index\.css:1:5/)
  write('pages/index.css', 'p { color: red }\n')
  await dev.waitFor(/^updated in/)
  const html = await (await fetch(url)).text()
  const sheet = /href="([^"]*index[^"]*css[^"]*)"/.exec(html)?.[1] ?? ''
  t.match(await (await fetch(new URL(sheet, url))).text(), 'color: red')
  write('pages/index.css', 'p { colr: red; margin: 0 auto\n')
  await dev.waitFor(/^Warning .*"colr" is not a known CSS property/)
  await dev.waitFor(/^Warning .*Expected "}"/)
})
