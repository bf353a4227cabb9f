// Shared stores whose server is slow, away, full or empty.

import { setImmediate as turn } from 'node:timers/promises'
import iovalkey from 'iovalkey'
import pg from 'pg'
import t, { type Test } from 'tap'
import type { StoreBackend } from '../../../../src/server/cache/shared/backend.ts'
import { createSharedStore } from '../../../../src/server/cache/shared/create-shared-store.ts'
import { openSharedStore } from '../../../../src/server/cache/shared/open-shared-store.ts'
import { createPostgresBackend } from '../../../../src/server/cache/shared/postgres-backend.ts'
import { EVERY_TAG, type SharedStore } from '../../../../src/server/cache/shared/shared-store.ts'
import { createValkeyBackend } from '../../../../src/server/cache/shared/valkey-backend.ts'
import { startPostgres } from '../../../postgres.ts'
import { command, startRedis } from '../../../redis.ts'
import { until } from '../../../until.ts'
import { createStore, keepLines, type OpenStore, openInPostgres, openInValkey, render, response } from './stores.ts'

const LONG_MS = 600_000
const MAX_BYTES = 1_000_000

const postgres = startPostgres(t)
const redis = await startRedis(t)

/** A server whose failures a test causes. */
interface Server {
  url: string
  open: OpenStore
  createBackend(): StoreBackend
  /** Stops the server without ending it. Returns what continues it. */
  freeze(): Promise<() => void>
  kill(): Promise<void>
  /** Starts it again, without its data. */
  start(): Promise<void>
  /** Ends the connections of all stores. */
  cut(): Promise<void>
}

async function inPostgres<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function usePostgres(): Server {
  const url = postgres.url
  const connections = "FROM pg_stat_activity WHERE application_name = 'hydrant'"
  return {
    url,
    open: openInPostgres(url, MAX_BYTES),
    createBackend: () => createPostgresBackend({ pg, url, place: 'the database', maxBytes: MAX_BYTES }),
    async freeze() {
      const { rows } = await inPostgres(url, (client) => client.query<{ pid: number }>(`SELECT pid ${connections}`))
      for (const { pid } of rows) process.kill(pid, 'SIGSTOP')
      return () => {
        for (const { pid } of rows) process.kill(pid, 'SIGCONT')
      }
    },
    kill: async () => postgres.stop(),
    start: async () => postgres.start(),
    cut: () =>
      inPostgres(url, async (client) => void (await client.query(`SELECT pg_terminate_backend(pid) ${connections}`))),
  }
}

function useRedis(): Server {
  const { url } = redis
  return {
    url,
    open: openInValkey(url, MAX_BYTES),
    createBackend: () => createValkeyBackend({ iovalkey, url, maxBytes: MAX_BYTES }),
    async freeze() {
      redis.signal('SIGSTOP')
      return () => redis.signal('SIGCONT')
    },
    kill: redis.kill,
    start: redis.start,
    async cut() {
      for (const type of ['pubsub', 'normal']) await command(redis.url, 'CLIENT', 'KILL', 'TYPE', type)
    },
  }
}

/** A store whose deadlines pass when the test says so. */
async function createTimedStore(t: Test, backend: StoreBackend) {
  const { lines, log } = keepLines()
  const deadlines = new Set<() => void>()
  const heard: string[] = []
  const store = await createStore(t, {
    ...{ backend, log },
    deadline(ms, onPassed) {
      t.equal(ms, 50)
      deadlines.add(onPassed)
      return () => void deadlines.delete(onPassed)
    },
  })
  store.onInvalidate((tags) => heard.push(...tags))
  const passDeadlines = () => {
    for (const onPassed of deadlines) {
      deadlines.delete(onPassed)
      onPassed()
    }
  }
  return { store, lines, heard, deadlines, passDeadlines }
}

/** What the calls of a store resolve with. */
const callAll = (store: SharedStore) =>
  Promise.all([
    store.get('key'),
    store.versions(),
    store.lease('key', LONG_MS),
    store.awaitEntry('key', LONG_MS),
    store.set('key', response(), { epoch: '', sequence: 0 }),
    store.release('key'),
    store.invalidate(['missed']),
    store.clear(),
  ])
const UNAVAILABLE = [null, null, true, null, undefined, undefined, false, false]

const SERVERS = { PostgreSQL: usePostgres(), Redis: useRedis() }

for (const [name, server] of Object.entries(SERVERS)) {
  t.test(`${name}: no call waits for a server that does not respond`, async (t) => {
    const other = await server.open(t)
    const heard: string[] = []
    const { store, lines, deadlines, passDeadlines, ...timed } = await createTimedStore(t, server.createBackend())
    await render(other, 'key', ['missed'])
    t.ok(await store.get('key'))
    const thaw = await server.freeze()
    t.teardown(thaw)
    const first = callAll(store)
    await turn()
    passDeadlines()
    t.strictSame(await first, UNAVAILABLE)
    t.strictSame(await callAll(store), UNAVAILABLE, 'at once: the store is known to be away')
    t.equal(deadlines.size, 0)
    t.strictSame(lines, [], 'a machine that is busy for a moment is no outage')
    await until(() => lines.length > 0)
    t.strictSame(lines, [
      'the page cache cannot use the store, so each process caches pages in its own memory for now: no response within 50 ms',
    ])
    other.onInvalidate((tags) => heard.push(...tags))
    thaw()
    await until(() => heard.includes(EVERY_TAG))
    await until(() => store.versions())
    await until(() => lines.length === 2)
    t.strictSame(lines.slice(1), ['the page cache uses the store again'])
    t.equal(await other.get('key'), null, 'the invalidations of the outage have been recorded')
    await render(store, 'key')
    t.ok(await other.get('key'))
    t.strictSame(
      timed.heard.filter((tag) => tag !== EVERY_TAG && tag !== 'missed'),
      [],
    )
  })

  t.test(`${name}: continues with a server that was killed and has lost its data`, async (t) => {
    const one = await createTimedStore(t, server.createBackend())
    const other = await createTimedStore(t, server.createBackend())
    await render(one.store, 'key', ['a'])
    await one.store.lease('awaited', LONG_MS)
    const before = await one.store.versions()
    const waiting = other.store.awaitEntry('awaited', LONG_MS)
    await turn()
    await server.kill()
    t.equal(await waiting, null, 'nobody waits any longer')
    await until(async () => (await one.store.versions()) === null)
    t.strictSame(await callAll(one.store), UNAVAILABLE)
    await server.start()
    for (const { store, heard } of [one, other]) {
      await until(() => store.versions())
      t.ok(heard.includes(EVERY_TAG), 'everything may be outdated')
      t.equal(await store.get('key'), null)
    }
    if (before) await one.store.set('key', response(['a']), before)
    t.equal(await other.store.get('key'), null, 'what was being rendered is not stored')
    await render(one.store, 'key', ['a'])
    t.ok(await other.store.get('key'))
    t.equal(one.lines.filter((line) => line.includes('cannot use')).length, 1, 'one warning')
  })

  t.test(`${name}: a process whose connection was cut hears of what it has missed, and of nothing else`, async (t) => {
    const open = await Promise.all([server.open(t), server.open(t), server.open(t)])
    const [one, other, third] = open
    const heard: string[][] = [[], []]
    other.onInvalidate((tags) => heard[0]?.push(...tags))
    third.onInvalidate((tags) => heard[1]?.push(...tags))
    await render(other, 'kept', ['b'])
    await server.cut()
    await one.invalidate(['a'])
    for (const tags of heard) await until(() => tags.length > 0)
    t.strictSame(heard, [['a'], ['a']])
    await until(() => third.versions())
    t.ok(await third.get('kept'))
  })

  t.test(`${name}: the log never contains user names, passwords and parameters`, async (t) => {
    const { lines, log } = keepLines()
    const { hostname, port, protocol, pathname } = new URL(server.url.replace('@/', '@127.0.0.1:1/'))
    const parameters = protocol === 'postgres:' ? '?application_name=the-parameter' : ''
    const url = `${protocol}//the-user:the-password@${hostname}:${port}${pathname}${parameters}`
    const store = await openSharedStore({ maxBytes: MAX_BYTES, store: url }, { log })
    t.teardown(() => store?.close())
    await until(() => lines.length > 0)
    t.match(lines[0], `the page cache cannot use ${protocol}//${hostname}:${port}${pathname}, so `)
    t.notMatch(lines.join('\n'), /the-(?:user|password|parameter)/)
  })
}

for (const [name, server] of Object.entries(SERVERS)) {
  t.test(`${name}: a store that is closed does nothing more`, async (t) => {
    const { store, lines } = await createTimedStore(t, server.createBackend())
    const waiting = store.get('key')
    await store.close()
    await waiting
    t.strictSame(await callAll(store), UNAVAILABLE)
    await server.cut()
    t.strictSame(lines, [])
  })
}

for (const [name, server] of Object.entries(SERVERS)) {
  t.test(`${name}: a store is closed although its server does not respond`, async (t) => {
    const { store } = await createTimedStore(t, server.createBackend())
    t.teardown(await server.freeze())
    await store.close()
    t.strictSame(await callAll(store), UNAVAILABLE)
  })
}

t.test('without a URL there is no store', async (t) => {
  t.equal(await openSharedStore({ maxBytes: MAX_BYTES, store: null }, { log: keepLines().log }), null)
})

t.test('Redis: a server without memory refuses responses, and continues to send others', async (t) => {
  const { store, lines } = await createTimedStore(t, SERVERS.Redis.createBackend())
  await render(store, 'key', ['a'])
  await command(redis.url, 'CONFIG', 'SET', 'maxmemory', '1')
  t.teardown(() => command(redis.url, 'CONFIG', 'SET', 'maxmemory', '0'))
  await render(store, 'other')
  await render(store, 'third')
  t.equal(await store.get('other'), null)
  t.ok(await store.get('key'))
  t.equal(await store.lease('other', LONG_MS), true)
  t.equal(lines.length, 1)
  t.match(lines[0], /OOM command not allowed/)
  t.equal(await store.invalidate(['a']), false)
  t.equal(await store.get('key'), null, 'the invalidation holds in this process')
  await command(redis.url, 'CONFIG', 'SET', 'maxmemory', '0')
  t.ok(await until(() => store.invalidate(['b'])))
})

for (const lost of ['state', 'tags']) {
  t.test(`Redis: when the server evicts the ${lost}, nothing outdated is found`, async (t) => {
    const { store, heard } = await createTimedStore(t, SERVERS.Redis.createBackend())
    await render(store, 'key', ['a'])
    await store.invalidate(['b'])
    await command(redis.url, 'DEL', `hydrant:cache:${lost}`)
    t.equal(await store.get('key'), null)
    await render(store, 'key', ['a'])
    t.ok(await store.get('key'))
    t.ok(heard.includes(EVERY_TAG))
  })
}

t.test('PostgreSQL: somebody may empty the tables', async (t) => {
  const { store, heard } = await createTimedStore(t, SERVERS.PostgreSQL.createBackend())
  await render(store, 'key', ['a'])
  const tables = ['state', 'tags', 'entries', 'leases'].map((name) => `hydrant_cache_${name}`)
  await inPostgres(postgres.url, (client) => client.query(`TRUNCATE ${tables.join(', ')}`))
  t.equal(await store.get('key'), null)
  await render(store, 'key', ['a'])
  t.ok(await store.get('key'))
  t.ok(heard.includes(EVERY_TAG))
})

t.test('PostgreSQL: somebody may drop the tables, or some of them', async (t) => {
  const url = postgres.createDatabase('dropped')
  const { store, heard } = await createTimedStore(
    t,
    createPostgresBackend({ pg, url, place: 'the database', maxBytes: MAX_BYTES }),
  )
  for (const dropped of ['state, tags, entries, leases, schema', 'state', 'tags', 'schema, entries']) {
    heard.length = 0
    await render(store, 'key', ['a'])
    const tables = dropped.split(', ').map((name) => `hydrant_cache_${name}`)
    await inPostgres(url, (client) => client.query(`DROP TABLE ${tables.join(', ')}`))
    await until(async () => {
      await store.invalidate(['a'])
      await render(store, 'key', ['a']).catch(() => {})
      return (await store.get('key')) && heard.includes(EVERY_TAG)
    })
    t.ok(await store.invalidate(['a']))
  }
})

t.test('PostgreSQL: tables of a newer version are refused', async (t) => {
  const url = postgres.createDatabase('newer')
  await inPostgres(url, (client) =>
    client.query('CREATE TABLE hydrant_cache_schema (version integer); INSERT INTO hydrant_cache_schema VALUES (99)'),
  )
  const { lines, log } = keepLines()
  const backend = createPostgresBackend({ pg, url, place: 'postgres://db', maxBytes: MAX_BYTES })
  const store = createSharedStore({ backend, log, place: 'postgres://db' })
  t.teardown(() => store.close())
  await until(() => lines.length > 0)
  t.match(lines[0], /the store of the page cache, postgres:\/\/db, has format 99; .*\. Install the newer version/)
})

t.test('PostgreSQL: a user that may not create tables can use existing ones', async (t) => {
  const url = postgres.createDatabase('roles')
  const one = await openInPostgres(url, MAX_BYTES)(t)
  const grant = 'CREATE ROLE cache LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO cache'
  await inPostgres(url, (client) => client.query(grant))
  const other = await openInPostgres(url.replace('postgres:a-password@', 'cache:a-password@'), MAX_BYTES)(t)
  await render(other, 'key', ['a'])
  t.ok(await one.get('key'))
  t.ok(await other.invalidate(['a']))
})
