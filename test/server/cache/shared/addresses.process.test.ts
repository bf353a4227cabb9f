// Addresses of Valkey and Redis: with TLS, with a password, and with a wrong one.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { createServer } from 'node:tls'
import iovalkey from 'iovalkey'
import t, { type Test } from 'tap'
import { openSharedStore } from '../../../../src/server/cache/shared/open-shared-store.ts'
import type { SharedStore } from '../../../../src/server/cache/shared/shared-store.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from '../../../proxy/certificate.ts'
import { startRedis, startRedisWithTls } from '../../../redis.ts'
import { until } from '../../../until.ts'
import { type DrivenStore, driveStore } from './drive-store.ts'
import { keepLines, render } from './stores.ts'

const PROGRAM = resolve('dist/test/server/cache/shared/store-program.js')
const PASSWORD = 'a-p@ss/word:1'

const tls = await startRedisWithTls(t, '--requirepass', PASSWORD)
const plain = await startRedis(t, '--requirepass', PASSWORD)
const open = await startRedis(t)

/** Returns an address with a password, and another scheme. */
function address(url: string, { scheme, password, user = '' }: { scheme?: string; password: string; user?: string }) {
  const given = url.replace('//', `//${user}:${encodeURIComponent(password)}@`)
  return scheme ? given.replace(/^\w+/, scheme) : given
}

/** Opens a store in this process. */
async function openStore(t: Test, url: string): Promise<{ store: SharedStore; lines: string[] }> {
  const { lines, log } = keepLines()
  // Calls never time out, because the machine may be slow.
  const store = await openSharedStore(
    { maxBytes: 1_000_000, store: url },
    { log, deadline: () => () => {}, closeMs: 0 },
  )
  if (store === null) throw new Error('no store')
  t.teardown(() => store.close())
  return { store, lines }
}

/** Opens a store in a process that knows the certificate: Node.js reads the variable when it starts. */
async function openKnowing(t: Test, folder: string, url: string): Promise<DrivenStore> {
  const file = join(folder, url.slice(0, url.indexOf(':')))
  const certificate = join(folder, 'certificate.pem')
  writeFileSync(certificate, CERTIFICATE)
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificate }
  const child = spawn(process.execPath, [PROGRAM, url, file], { stdio: ['pipe', 'pipe', 'inherit'], env })
  t.teardown(() => child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stdout })) if (line === 'ready') break
  return driveStore(t, file)
}

t.test('two processes share a server with TLS and a password', async (t) => {
  // The path of a socket file is short.
  const folder = mkdtempSync(join(tmpdir(), 'store-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const urls = ['rediss', 'valkeys'].map((scheme) => address(tls.url, { scheme, password: PASSWORD, user: 'default' }))
  const [one, two] = await Promise.all(urls.map((url) => openKnowing(t, folder, url)))
  if (!one || !two) throw new Error('there are two')
  for (const store of [one, two]) await until(() => store.versions())
  const since = await one.versions()
  if (since === null) throw new Error('the store is unavailable')
  await render({ ...one, onInvalidate: () => {}, measure: () => {}, seen: () => null }, 'key', ['a'])
  t.match(await two.get('key'), { tags: ['a'] })
  t.equal(await two.invalidate(['a']), true)
  await until(() => one.heard.includes('a'))
  t.equal(await one.get('key'), null)
})

t.test('each scheme of an address without TLS leads to the server', async (t) => {
  for (const scheme of ['redis', 'valkey'])
    for (const user of ['', 'default']) {
      const { store, lines } = await openStore(t, address(plain.url, { scheme, password: PASSWORD, user }))
      await until(() => store.versions())
      await render(store, `${scheme}${user}`)
      t.ok(await store.get(`${scheme}${user}`))
      t.strictSame(lines, [])
    }
})

/** Without the store, a process renders each page itself. */
async function checkAlone(t: Test, store: SharedStore) {
  t.equal(await store.get('key'), null)
  t.equal(await store.versions(), null)
  t.equal(await store.lease('key', 1_000), true)
  t.equal(await store.invalidate(['a']), false)
}

/** Returns a function that counts the connections to the server so far. */
function watchConnections(t: Test): () => Promise<number> {
  const client = new iovalkey.Redis(address(plain.url, { password: PASSWORD }))
  t.teardown(() => client.disconnect())
  return async () => Number(/total_connections_received:(\d+)/.exec(await client.info('stats'))?.[1])
}

for (const [name, url, reason] of [
  ['a wrong password', address(plain.url, { password: 'wrong-one' }), /WRONGPASS/],
  ['an unknown user', address(plain.url, { password: PASSWORD, user: 'nobody-known' }), /WRONGPASS/],
  ['no password', plain.url, /NOAUTH/],
  [
    'a database that the server does not have',
    address(plain.url, { password: PASSWORD }).replace(/\/0$/, '/99'),
    /DB index is out of range/,
  ],
] as const)
  t.test(`with ${name}, a process continues alone and writes one warning`, async (t) => {
    const countConnections = watchConnections(t)
    const before = await countConnections()
    const { store, lines } = await openStore(t, url)
    await until(() => lines.length > 0)
    await checkAlone(t, store)
    // Two connections are tried again and again.
    await until(async () => (await countConnections()) > before + 4)
    await checkAlone(t, store)
    t.equal(lines.length, 1)
    t.match(
      lines[0],
      `the page cache cannot use ${plain.url.replace(/\/0$/, new URL(url).pathname)}, so each process caches pages in its own memory for now: `,
    )
    t.match(lines[0], reason)
    t.notMatch(lines[0], /wrong-one|nobody-known|a-p/)
  })

t.test('a process uses the server as soon as it accepts the password', async (t) => {
  const admin = new iovalkey.Redis(open.url)
  t.teardown(() => admin.disconnect())
  await admin.config('SET', 'requirepass', 'old-one')
  const { store, lines } = await openStore(t, address(open.url, { password: 'new-one' }))
  await until(() => lines.length > 0)
  await admin.config('SET', 'requirepass', 'new-one')
  await until(() => store.versions())
  await until(() => lines.length > 1)
  t.strictSame(lines.slice(1), [`the page cache uses ${open.url} again`])
  await render(store, 'key')
  t.ok(await store.get('key'))
})

t.test('a server whose certificate is not trusted is not used', async (t) => {
  const { store, lines } = await openStore(t, address(tls.url, { password: PASSWORD }))
  await until(() => lines.length > 0)
  await checkAlone(t, store)
  t.match(lines[0], /self[- ]signed certificate/)
})

t.test('a store can be closed at any moment while a certificate is refused', async (t) => {
  const connections = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  const before = connections()
  // A second error of a connection would be an uncaught exception, which fails the test.
  for (let ms = 0; ms < 20; ms++) {
    const { store } = await openStore(t, address(tls.url, { password: PASSWORD }))
    await pause(ms)
    store.close()
  }
  await until(() => connections() <= before)
  t.pass('the process still runs')
})

t.test('a server with TLS is not used by an address without it', async (t) => {
  const { store, lines } = await openStore(t, address(tls.url, { scheme: 'valkey', password: PASSWORD }))
  await until(() => lines.length > 0)
  await checkAlone(t, store)
})

t.test('a server with TLS learns the name by which it is addressed', async (t) => {
  const names: string[] = []
  const server = createServer({
    cert: CERTIFICATE,
    key: CERTIFICATE_KEY,
    SNICallback(name, done) {
      names.push(name)
      done(null)
    },
  })
  server.on('tlsClientError', () => {})
  await once(server.listen(0, 'localhost'), 'listening')
  t.teardown(() => server.close())
  const place = server.address()
  if (typeof place !== 'object' || place === null) throw new Error('it has a port')
  await openStore(t, `rediss://localhost:${place.port}`)
  await until(() => names.length > 0)
  t.equal(names[0], 'localhost')
})
