// What happens to a server that several processes share: it loses invalidations, refuses to record them, or is away when
// a process ends. The processes must agree again, and no invalidation may get lost without a line.

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import iovalkey from 'iovalkey'
import pg from 'pg'
import t, { type Test } from 'tap'
import type { StoreBackend } from '../../../../src/server/cache/shared/backend.ts'
import type { StorePeers } from '../../../../src/server/cache/shared/create-shared-store.ts'
import { createPostgresBackend } from '../../../../src/server/cache/shared/postgres-backend.ts'
import { EVERY_TAG, type SharedStore } from '../../../../src/server/cache/shared/shared-store.ts'
import { createValkeyBackend } from '../../../../src/server/cache/shared/valkey-backend.ts'
import { startPostgres } from '../../../postgres.ts'
import { command, startRedis } from '../../../redis.ts'
import { until } from '../../../until.ts'
import { createMemoryBackends, createStore, keepLines, render } from './stores.ts'

const MAX_BYTES = 1_000_000
const LONG_MS = 600_000

const inValkey = (url: string) => createValkeyBackend({ iovalkey, url, maxBytes: MAX_BYTES })

interface Process {
  store: SharedStore
  lines: string[]
  heard: string[]
}

async function startProcess(t: Test, backend: StoreBackend, input: { peers?: StorePeers; closeMs?: number } = {}) {
  const { lines, log } = keepLines()
  const heard: string[] = []
  const store = await createStore(t, { backend, log, ...input })
  store.onInvalidate((tags) => heard.push(...tags))
  return { store, lines, heard }
}

/** Checks that processes use their server again, that none of them finds a page, and that each hears of the others. */
async function checkAgreement(t: Test, processes: readonly Process[], key: string) {
  for (const { store } of processes) await until(() => store.versions())
  for (const { store } of processes) t.equal(await store.get(key), null, 'a page from before')
  for (const [index, { store }] of processes.entries()) {
    const others = processes.filter((one) => one.store !== store)
    // Each process may begin anew, and drop what another one has just rendered.
    await until(async () => {
      await render(store, key, [`new ${index}`]).catch(() => {})
      return (await Promise.all(others.map((other) => other.store.get(key)))).every(Boolean)
    })
    t.ok(await until(() => store.invalidate([`new ${index}`])))
    for (const other of others) {
      await until(() => other.heard.includes(`new ${index}`) || other.heard.at(-1) === EVERY_TAG)
      t.equal(await other.store.get(key), null)
    }
  }
}

// A server may refuse to tell what it is.
for (const [name, settings] of [
  ['Redis', []],
  ['Redis without INFO', ['--rename-command', 'INFO', '']],
] as const) {
  t.test(`${name}: after a restart from a snapshot, no page of the snapshot is served`, async (t) => {
    const redis = await startRedis(t, ...settings)
    const processes = [await startProcess(t, inValkey(redis.url)), await startProcess(t, inValkey(redis.url))]
    const [one, other] = processes
    if (!one || !other) throw new Error('there are two')
    await render(one.store, 'key', ['a'])
    await command(redis.url, 'SAVE')
    for (const tag of ['b', 'c', 'a']) await one.store.invalidate([tag])
    await until(() => other.heard.includes('a'))
    await redis.kill()
    await redis.start()
    await checkAgreement(t, processes, 'key')
    t.ok([one, other].every(({ heard }) => heard.includes(EVERY_TAG)))
  })
}

t.test('Redis: a process that starts after a restart from a snapshot finds no page of it either', async (t) => {
  const redis = await startRedis(t)
  const before = await startProcess(t, inValkey(redis.url))
  await render(before.store, 'key', ['a'])
  await command(redis.url, 'SAVE')
  await before.store.invalidate(['a'])
  await before.store.close()
  await redis.kill()
  await redis.start()
  await checkAgreement(t, [await startProcess(t, inValkey(redis.url))], 'key')
})

/** One address that leads to one server after the other, as that of a hosted service does. */
async function createSwitch(t: Test, url: string) {
  let port: string | null = new URL(url).port
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    if (port === null) return socket.destroy()
    const target = connect(Number(port), '127.0.0.1')
    for (const one of [socket, target]) sockets.add(one.on('error', () => {}))
    socket.pipe(target).pipe(socket)
    socket.on('close', () => target.destroy())
    target.on('close', () => socket.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const place = server.address()
  if (typeof place !== 'object' || place === null) throw new Error('it has a port')
  const lead = (to: string | null) => {
    port = to === null ? null : new URL(to).port
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  t.teardown(() => {
    lead(null)
    server.close()
  })
  return { url: `redis://127.0.0.1:${place.port}/0`, lead }
}

t.test('Redis: a failover to a replica that lags behind brings nothing back', async (t) => {
  const [main, replica] = await Promise.all([startRedis(t, '--repl-diskless-sync-delay', '0'), startRedis(t)])
  const address = await createSwitch(t, main.url)
  const processes = [await startProcess(t, inValkey(address.url)), await startProcess(t, inValkey(address.url))]
  const [one, other] = processes
  if (!one || !other) throw new Error('there are two')
  await render(one.store, 'key', ['a'])
  await command(replica.url, 'REPLICAOF', '127.0.0.1', new URL(main.url).port)
  await until(async () => Number(await command(main.url, 'WAIT', '1', '100')) > 0)
  // From now on nothing arrives there.
  await command(replica.url, 'REPLICAOF', 'NO', 'ONE')
  t.equal(await one.store.invalidate(['a']), true)
  await until(() => other.heard.includes('a'))
  await main.kill()
  address.lead(replica.url)
  await checkAgreement(t, processes, 'key')
})

t.test('Redis: what an old main server has recorded after the failover is not lost', async (t) => {
  const [old, main] = await Promise.all([startRedis(t), startRedis(t)])
  const [late, early] = await Promise.all([createSwitch(t, old.url), createSwitch(t, old.url)])
  const one = await startProcess(t, inValkey(late.url))
  const other = await startProcess(t, inValkey(early.url))
  early.lead(main.url)
  await until(() => other.heard.includes(EVERY_TAG))
  await until(() => other.store.versions())
  await render(other.store, 'key', ['a'])
  t.equal(await one.store.invalidate(['a']), true, 'the old one does not know')
  late.lead(main.url)
  await until(async () => (await other.store.get('key')) === null)
  await checkAgreement(t, [one, other], 'key')
})

t.test('Redis: a server that was emptied, or whose data were replaced, begins anew', async (t) => {
  const redis = await startRedis(t)
  const processes = [await startProcess(t, inValkey(redis.url)), await startProcess(t, inValkey(redis.url))]
  for (const change of [
    () => command(redis.url, 'FLUSHALL'),
    // The state of an earlier time, without a new connection.
    () => command(redis.url, 'HINCRBY', 'hydrant:cache:state', 'sequence', '-2'),
    // The data of an epoch that has ended, whose sequence may be higher.
    async () => {
      for (const { heard } of processes) heard.length = 0
      await command(redis.url, 'SWAPDB', '0', '1')
      await until(() => processes.every(({ heard }) => heard.at(-1) === EVERY_TAG))
      await command(redis.url, 'SWAPDB', '0', '1')
    },
  ]) {
    await render(processes[0]?.store ?? raise(), 'key', ['a'])
    for (const tag of ['b', 'c', 'd']) await processes[1]?.store.invalidate([tag])
    await until(() => processes[0]?.heard.includes('d'))
    await change()
    await checkAgreement(t, processes, 'key')
  }
})

function raise(): never {
  throw new Error('there is one')
}

interface Refusal {
  name: string
  begin(): Promise<unknown>
  end(): Promise<unknown>
  reason: RegExp
}

/** Processes whose server refuses to record invalidations must agree all the same, and say so once. */
async function checkRefusal(t: Test, createBackend: () => StoreBackend, { begin, end, reason }: Refusal) {
  const [one, other] = [await startProcess(t, createBackend()), await startProcess(t, createBackend())]
  await render(one.store, 'key', ['a'])
  await render(one.store, 'kept', ['b'])
  await begin()
  t.equal(await one.store.invalidate(['a']), false)
  await until(() => other.heard.includes('a'))
  for (const { store, lines } of [one, other]) {
    t.equal(await store.get('key'), null)
    t.equal(await store.lease('key', LONG_MS), true, 'each process renders')
    await until(() => lines.length > 0)
  }
  // Many calls later, there is still one line.
  for (let count = 0; count < 20; count++)
    for (const { store } of [one, other]) {
      await store.get('key')
      await store.invalidate([`while refused ${count}`])
    }
  // Both have tried to record what waits, and others have not begun to use the server.
  t.equal(await one.store.get('key'), null)
  for (const { lines } of [one, other]) {
    t.equal(lines.length, 1)
    t.match(lines[0], reason)
  }
  await end()
  t.ok(await until(() => one.store.invalidate(['c'])))
  t.ok(await until(() => other.store.invalidate(['d'])))
  for (const { lines } of [one, other]) {
    await until(() => lines.length > 1)
    t.strictSame(lines.slice(1), ['the page cache uses the store again'])
  }
  await checkAgreement(t, [one, other], 'key')
}

t.test('Redis: while the server refuses to record invalidations, they reach all processes', async (t) => {
  const redis = await startRedis(t)
  const set = (...words: readonly string[]) => command(redis.url, 'CONFIG', 'SET', ...words)
  const refusals: Refusal[] = [
    {
      name: 'without memory',
      begin: () => set('maxmemory', '1'),
      end: () => set('maxmemory', '0'),
      reason: /OOM command not allowed/,
    },
    {
      name: 'without enough replicas',
      begin: () => set('min-replicas-to-write', '1'),
      end: () => set('min-replicas-to-write', '0'),
      reason: /NOREPLICAS/,
    },
    {
      name: 'as a replica',
      begin: () => command(redis.url, 'REPLICAOF', '127.0.0.1', '1'),
      end: () => command(redis.url, 'REPLICAOF', 'NO', 'ONE'),
      reason: /READONLY/,
    },
  ]
  for (const refusal of refusals) await t.test(refusal.name, (t) => checkRefusal(t, () => inValkey(redis.url), refusal))
})

const postgres = startPostgres(t)

async function inPostgres(url: string, ...statements: readonly string[]) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of ['SET default_transaction_read_only = off', ...statements]) await client.query(statement)
  await client.end()
}

t.test('PostgreSQL: while transactions are read-only, invalidations reach all processes', async (t) => {
  const { url } = postgres
  const setReadOnly = (value: string) =>
    inPostgres(url, `ALTER SYSTEM SET default_transaction_read_only = ${value}`, 'SELECT pg_reload_conf()')
  const createBackend = () => createPostgresBackend({ pg, url, place: 'the database', maxBytes: MAX_BYTES })
  await checkRefusal(t, createBackend, {
    name: 'read-only',
    // A connection reads the settings before its next statement.
    begin: () => setReadOnly('on'),
    end: () => setReadOnly('off'),
    reason: /read-only transaction/,
  })
})

t.test('PostgreSQL: tables that were restored from a dump begin anew', async (t) => {
  const url = postgres.createDatabase('restored')
  const open = () => startProcess(t, createPostgresBackend({ pg, url, place: 'the database', maxBytes: MAX_BYTES }))
  const processes = [await open(), await open()]
  const tables = ['state', 'tags', 'entries', 'leases'].map((name) => `hydrant_cache_${name}`)
  await inPostgres(url, ...tables.map((table) => `CREATE TABLE dump_${table} AS TABLE ${table} WITH NO DATA`))
  for (const empty of ['TRUNCATE', 'DELETE FROM']) {
    await render(processes[0]?.store ?? raise(), 'key', ['a'])
    await inPostgres(
      url,
      ...tables.flatMap((table) => [`DELETE FROM dump_${table}`, `INSERT INTO dump_${table} TABLE ${table}`]),
    )
    for (const tag of ['b', 'a']) await processes[1]?.store.invalidate([tag])
    await until(() => processes[0]?.heard.includes('a'))
    const restore = tables.flatMap((table) => [`${empty} ${table}`, `INSERT INTO ${table} TABLE dump_${table}`])
    await inPostgres(url, 'BEGIN', ...restore, 'COMMIT')
    await checkAgreement(t, processes, 'key')
    for (const { heard } of processes) heard.length = 0
  }
})

/** Connects processes of one machine, as the primary does. */
function createPeers(): () => StorePeers {
  const listeners: Parameters<StorePeers['onTold']>[0][] = []
  return () => {
    let own: (typeof listeners)[number] = () => false
    return {
      tell: async (tags, versions) =>
        listeners.filter((listener) => listener !== own && listener(tags, versions)).length,
      onTold(listener) {
        own = listener
        listeners.push(listener)
      },
      onJoined() {},
    }
  }
}

t.test('when `invalidate` resolves, the other processes of the machine have heard of it, exactly once', async (t) => {
  const createBackend = createMemoryBackends(MAX_BYTES)
  const createPeer = createPeers()
  const open = () => startProcess(t, createBackend(), { peers: createPeer() })
  const [one, other] = [await open(), await open()]
  for (const process of [one, other, one])
    for (const tag of ['a', 'b']) {
      t.equal(await process.store.invalidate([tag]), true)
      t.equal((process === one ? other : one).heard.at(-1), tag)
    }
  await render(one.store, 'key')
  t.ok(await other.store.get('key'))
  t.strictSame(
    [one.heard, other.heard],
    [
      ['a', 'b'],
      ['a', 'b', 'a', 'b'],
    ],
  )
})

t.test('Redis: what a process cannot record is taken over by others of its machine, sent, or logged', async (t) => {
  const redis = await startRedis(t)
  const createPeer = createPeers()
  const open = (closeMs: number) => startProcess(t, inValkey(redis.url), { peers: createPeer(), closeMs })
  const [one, other] = [await open(LONG_MS), await open(LONG_MS)]
  const elsewhere = await startProcess(t, inValkey(redis.url))
  await render(elsewhere.store, 'key', ['a'])
  await redis.kill()
  await until(async () => (await one.store.versions()) === null)
  t.equal(await one.store.invalidate(['a']), false)
  t.strictSame(other.heard, ['a'])
  await one.store.close()
  // The last process of the machine waits for the server.
  const closing = other.store.close()
  await redis.start()
  await closing
  for (const { lines } of [one, other]) t.notMatch(lines.join('\n'), /lost/)
  // The server has lost its data, or has recorded the invalidation.
  await until(() => elsewhere.heard.includes('a') || elsewhere.heard.includes(EVERY_TAG))

  const last = await open(1)
  redis.signal('SIGSTOP')
  t.teardown(() => redis.signal('SIGCONT'))
  const calls = [last.store.invalidate(['product:1', 'product:"2"']), last.store.invalidate(['path:/products'])]
  await last.store.close()
  t.match(
    last.lines.at(-1),
    /^invalidations may be lost, because the store has not confirmed them before this process ended.* these tags: \["product:1","product:\\"2\\"","path:\/products"\]$/,
  )
  redis.signal('SIGCONT')
  await Promise.all(calls)
})
