// The addresses of `hydrant dev` and `hydrant start`: taken ports, and the names under which a site responds.

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { listServerUrls } from '../../scripts/dev/dev-server.ts'
import { createDevOptions, type DevOptionsInput } from '../../scripts/dev/dev-site.ts'
import { explainHost, isAllowedHost } from '../../scripts/dev/http/dev-access.ts'
import { askLsof, findFreePort, findPortOwner } from '../../src/server/lifecycle/listen.ts'
import { parseRaw, rawRequest, sendRaw } from '../attacks/raw.ts'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'
import { runCli, startCli } from './run-cli.ts'

/** Listens on a port of this machine until the test ends. Returns the port. */
async function occupy(t: Test, port = 0): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Sends a request under any host name, which `fetch` does not allow. */
async function ask(url: string, host: string, path = '/'): Promise<{ status: number | undefined; text: string }> {
  const [response] = await once(request(url, { path, headers: { host } }).end(), 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, text }
}

t.test('an error about a taken port names its process and a free port', async (t) => {
  const dir = createSite(t, {})
  await buildSharing({ dir })
  const port = await occupy(t)
  const owner = process.platform === 'linux' ? `node (process ${process.pid})` : ''
  for (const args of [
    ['dev', dir],
    ['start', dir],
    ['start', dir, '--workers', '2'],
  ]) {
    const { code, stdout, stderr } = await runCli([...args, '--host', '127.0.0.1', '--port', String(port)])
    t.notMatch(stdout, 'ready', 'a server that does not listen is not ready')
    t.equal(code, 1, args.join(' '))
    t.match(stderr, `Error [HYD_PORT_IN_USE] port ${port} on 127.0.0.1 is in use by ${owner}`)
    const [, free] = /^Try: Add "--port (\d+)" to the command, or stop that process\.$/m.exec(stderr) ?? []
    t.ok(Number(free) > port)
    await t.resolves(occupy(t, Number(free)), 'the port is free')
  }
})

t.test('dev without a port', async (t) => {
  // Another process of this machine may have the default port already.
  await occupy(t, 3000).catch(() => {})
  const page = (text: string) => `export default () => <p>${text}</p>\n`
  const dir = createSite(t, { 'pages/index.tsx': page('one') })
  const hosts = ['*.tunnel.example']
  // Without inotify, only polling can notice a change.
  const broken =
    "import fs from 'node:fs'; fs.watch = () => { throw new Error('fs.watch is called') }; (await import('node:module')).syncBuiltinESMExports()"
  const node = ['--import', `data:text/javascript,${encodeURIComponent(broken)}`]
  const dev = startCli(t, ['dev', dir, '--host', '127.0.0.1', '--hosts', hosts.join(','), '--poll'], { node })
  const [, port] = await dev.waitFor(/^port 3000 is in use by .+; this server uses port (\d+)$/)
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)

  await t.test('uses the next free port, and says so', async (t) => {
    t.equal(new URL(url).port, port)
    t.equal((await fetch(url)).status, 200)
  })

  await t.test('refuses several Host headers, for its own addresses too', async (t) => {
    const hosts = ['Host: localhost', 'Host: evil.example']
    const { status, headers } = parseRaw(await sendRaw(Number(port), rawRequest('GET / HTTP/1.1', hosts)))
    t.equal(status, 400)
    t.ok(headers.includes('content-type: text/plain; charset=utf-8'), 'before the site gets the request')
  })

  await t.test('a flag allows the names of a tunnel, and no others', async (t) => {
    t.equal((await ask(url, 'a1b2.tunnel.example')).status, 200)
    t.equal((await ask(url, 'tunnel.example')).status, 403)
    t.equal((await ask(url, 'evil.example')).status, 403)
    t.ok(isAllowedHost('A.Tunnel.Example', 'localhost', hosts))
    t.notOk(isAllowedHost('a.tunnel.example.evil.example', 'localhost', hosts))
    for (const host of ['', 'a b', '<script>', '$(id)', undefined]) t.notMatch(explainHost(host), 'Try:', String(host))
  })

  await t.test('a path that is no URL gets a response', async (t) => {
    // The responses of the update channel do not end.
    const [response] = await once(request(url, { path: '//[/_hydrant/dev' }).end(), 'response')
    t.equal(response.statusCode, 200)
    response.destroy()
    t.equal((await ask(url, 'localhost', '//[/')).status, 308)
    t.notMatch(dev.lines.join('\n'), 'Invalid URL')
  })

  await t.test('a flag polls for changes where the system reports none', async () => {
    writeFileSync(`${dir}/pages/index.tsx`, page('two'))
    await dev.waitFor(/^updated in .*\(pages\/index\.tsx\)$/)
  })
})

t.test('a port that somebody has chosen is not replaced, also if it is 3000', async (t) => {
  const dir = t.testdir({})
  const isDefault = (given: Partial<DevOptionsInput>, config: Record<string, unknown> = {}) => {
    const options = createDevOptions({ dir, flags: {}, env: {}, ...given })
    options.configure(config)
    return options.isDefaultPort()
  }
  t.ok(isDefault({ env: { PORT: '' } }))
  t.notOk(isDefault({ flags: { port: '3000' } }), 'a flag')
  t.notOk(isDefault({ env: { PORT: '3000' } }), 'a variable')
  t.notOk(isDefault({ env: { HYDRANT_PORT: '3000' } }), 'the other variable')
  t.notOk(isDefault({}, { port: 3000 }), 'the configuration')
  t.ok(isDefault({ env: { HYDRANT_PORT: 'tcp://10.96.7.11:3000' } }), 'a variable of Kubernetes for a service')
})

t.test('an address that is not of this machine is an error that names where it is set', async (t) => {
  const dir = createSite(t, {})
  const configured = createSite(t, { 'hydrant.config.ts': "export default { host: '192.0.2.1' }\n" })
  for (const [words, env, source] of [
    [[dir], { HOST: '192.0.2.1' }, '"host" is set by HOST'],
    [[dir, '--host', '192.0.2.1'], { HOST: '127.0.0.1' }, '"host" is set by --host'],
    [[configured], {}, '"host" is set in hydrant.config.ts'],
  ] as const) {
    const { code, stderr } = await runCli(['dev', ...words, '--port', '0'], { env })
    t.equal(code, 1)
    t.match(
      stderr,
      `cannot listen on 192.0.2.1 port 0: listen EADDRNOTAVAIL: address not available 192.0.2.1 (${source}`,
    )
  }
})

t.test('finds the process of a port, and a free port above it', async (t) => {
  const port = await occupy(t)
  const expected = { pid: process.pid }
  t.match(await findPortOwner(port), process.platform === 'win32' ? null : expected)
  const free = await findFreePort(port, '127.0.0.1')
  t.ok(free !== null && free > port)
  t.equal(await findFreePort(65_535, '127.0.0.1'), null)
  t.equal(await findPortOwner(1), null, 'a port without a process')
})

t.test('asks lsof where there is no /proc', async (t) => {
  const port = await occupy(t)
  const owner = await askLsof(port).catch((error) => error)
  if (owner?.code === 'ENOENT') return t.pass('there is no lsof here')
  t.match(owner, { pid: process.pid })
})

t.test('lists the addresses of this machine when it listens on all of them', async (t) => {
  const address = { netmask: '', mac: '', cidr: null, internal: false }
  const interfaces = {
    lo: [{ ...address, address: '127.0.0.1', family: 'IPv4' as const, internal: true }],
    eth0: [
      { ...address, address: '192.0.2.7', family: 'IPv4' as const },
      { ...address, address: '2001:db8::7', family: 'IPv6' as const, scopeid: 0 },
      { ...address, address: 'fe80::7', family: 'IPv6' as const, scopeid: 2 },
    ],
    down: undefined,
  }
  const urls = (host: string) => listServerUrls({ host, port: 3000, base: '/shop' }, interfaces)
  t.strictSame(urls('0.0.0.0'), { local: 'http://localhost:3000/shop', network: ['http://192.0.2.7:3000/shop'] })
  t.strictSame(urls('::').network, ['http://192.0.2.7:3000/shop', 'http://[2001:db8::7]:3000/shop'])
  t.strictSame(urls('localhost'), { local: 'http://localhost:3000/shop', network: [] })
  t.strictSame(urls('::1'), { local: 'http://[::1]:3000/shop', network: [] })
})

t.test(
  'responds under the names in "hosts" and under those of this machine, and explains every other one',
  async (t) => {
    const dir = createSite(t, { 'hydrant.config.ts': "export default { hosts: ['shop.example'] }\n" })
    const dev = startCli(t, ['dev', dir, '--host', '0.0.0.0', '--port', '0'])
    const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
    t.equal(new URL(url).hostname, 'localhost')
    const address = url.replace('localhost', '127.0.0.1')
    for (const host of ['localhost', '127.0.0.1', '192.0.2.7', 'shop.example', 'SHOP.example:443'])
      t.equal((await ask(address, host)).status, 200, host)
    const refused = await ask(address, 'my.tunnel.example:8080')
    t.equal(refused.status, 403)
    t.match(refused.text, /^The host "my\.tunnel\.example:8080" is not served here\.$/m)
    t.match(refused.text, /^Try: hydrant dev --hosts my\.tunnel\.example \(or HYDRANT_HOSTS=my\.tunnel\.example\)/m)
    t.notMatch(refused.text, 'shop.example', 'a foreign page can read it')
  },
)

t.test(
  'the limits of connections are those of the site, also after an edit, and the terminal names the option',
  async (t) => {
    const config = (maxHeaderBytes: number) =>
      `export default { limits: { maxHeaderBytes: ${maxHeaderBytes} }, timeouts: { headersMs: 300, requestMs: 300, keepAliveMs: 200 } }\n`
    const dir = createSite(t, { 'hydrant.config.ts': config(40_000) })
    const dev = startCli(t, ['dev', dir, '--host', '127.0.0.1', '--port', '0'])
    const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
    const port = Number(new URL(url).port)
    const send = (bytes: number) =>
      sendRaw(port, `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(bytes)}\r\n\r\n`)
    t.match(await send(30_000), /^HTTP\/1\.1 200 /, 'and the idle connection is closed')
    t.match(await send(50_000), /^HTTP\/1\.1 431 /)
    await dev.waitFor(/^refused with 431: .*"limits\.maxHeaderBytes"/)
    t.match(await sendRaw(port, 'GET / HTTP/1.1\r\nHost: localhost\r\n'), /^HTTP\/1\.1 408 /)
    await dev.waitFor(/^refused with 408: .*"timeouts\.headersMs"/)
    writeFileSync(join(dir, 'hydrant.config.ts'), config(2_000))
    await dev.waitFor(/^updated in/)
    t.match(await send(3_000), /^HTTP\/1\.1 431 /)
  },
)

t.test('a site is served and built in a folder of any name, but not below a backslash', async (t) => {
  const files = {
    'pages/index.tsx':
      "import styles from './index.module.css'\nexport default () => <p className={styles.text}>served</p>\n",
    'pages/index.module.css': '.text { color: red }\n',
    'hydrant.config.ts': 'export default {}\n',
    'server.ts': "export default async (app) => app.get('/api', () => 'api')\n",
  }
  const dir = createSite(t, files, `a?b*c #%zz [d] {e} 'é"$&`)
  const dev = startCli(t, ['dev', dir, '--host', '127.0.0.1', '--port', '0'])
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  const read = async (path: string) => (await fetch(new URL(path, url))).text()
  const html = await read('/')
  t.match(html, 'served')
  t.match(await read(/href="([^"]*\.css)"/.exec(html)?.[1] ?? ''), 'color: red')
  t.equal(await read('/api'), 'api')
  t.match(await runCli(['build', dir]), { code: 0 })
  const start = startCli(t, ['start', dir, '--port', '0'])
  await start.waitFor(/listening at/)

  const refused = createSite(t, files, 'a\\\\b')
  for (const command of ['build', 'start', 'types', 'create', 'dev'])
    t.match(await runCli([command, refused]), { code: 2, stderr: /HYD_CLI_BACKSLASH/ }, command)
})

t.test('modules are served with and without a base that a proxy removes', async (t) => {
  const dir = createSite(t, { 'hydrant.config.ts': "export default { base: '/shop', proxyStripsBase: true }\n" })
  const dev = startCli(t, ['dev', dir, '--host', '127.0.0.1', '--port', '0'])
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  const html = await (await fetch(new URL('/', url))).text()
  const [script = ''] = /\/shop\/_hydrant\/assets\/[\w.-]+\.root\.js/.exec(html) ?? []
  for (const path of [script, script.slice('/shop'.length)])
    t.equal((await fetch(new URL(path, url))).status, 200, path)
})
