import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect as connectSocket, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import { createLedgerWriter } from '../../../src/server/ledger/ledger-writer.ts'
import { createPostgresLedger, toJson } from '../../../src/server/ledger/postgres/postgres-ledger.ts'
import { migratePostgres, POSTGRES_MIGRATIONS, transact } from '../../../src/server/ledger/postgres/schema.ts'
import {
  MAX_READ_REQUESTS,
  MAX_SLOTS,
  MAX_SLOW_REQUESTS,
  type SlowRequest,
  slotOf,
} from '../../../src/server/ledger/times.ts'
import { placeOf } from '../../../src/server/util/postgres.ts'
import { startPostgres } from '../../postgres.ts'
import { entry, failure, LIMITS, NOW, name } from './entries.ts'
import { place, slowRequest } from './times-entries.ts'
import { startWriter } from './writers.ts'

const postgres = startPostgres(t)
let databases = 0
const newDatabase = () => postgres.createDatabase(`test${++databases}`)

function open(t: Test, url: string, limits = LIMITS) {
  const ledger = createPostgresLedger(url, limits)
  t.teardown(() => ledger.close())
  return ledger
}

function connect(t: Test, url: string) {
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  pool.on('error', () => {})
  t.teardown(() => pool.end())
  return pool
}

t.test('replicas that start and write at once create the tables once and lose nothing', async (t) => {
  const url = newDatabase()
  const writers = ['r1', 'r2', 'r2'].map((release) => startWriter(t, url, 25, release))
  t.strictSame(await Promise.all(writers.map((writer) => writer.ended)), [0, 0, 0])
  const ledger = open(t, url)
  const found = await ledger.list({})
  t.strictSame(
    found.map(({ count }) => count),
    [150, 150, 150, 150, 150],
  )
  const hours = await ledger.hours(0)
  t.equal(
    hours.reduce((sum, { count }) => sum + count, 0),
    750,
  )
  t.equal((await ledger.stats()).occurrences, 500, 'within the limit')
})

t.test('replicas that remove while others write do not deadlock', async (t) => {
  const url = newDatabase()
  const limits = { ...LIMITS, maxFailures: 10, maxAgeMs: Date.now() - NOW + 500 }
  const ledgers = [1, 2, 3].map(() => open(t, url, limits))
  await Promise.all(
    ledgers.map(async (ledger, replica) => {
      for (let batch = 0; batch < 20; batch++) {
        const numbers = Array.from({ length: 12 }, (_, index) => (index * 7 + batch * (replica + 1)) % 30)
        await ledger.record(
          [...new Set(numbers)].map((number) =>
            entry({
              fingerprint: name(number),
              time: batch % 2 ? NOW - 1_000 : NOW + 60_000 + batch,
              release: name(number),
            }),
          ),
        )
      }
    }),
  )
  await ledgers[0]?.record([])
  t.equal((await ledgers[0]?.stats())?.failures, 10)
})

t.test('replicas that write the same times and requests at once do not deadlock', async (t) => {
  const url = newDatabase()
  const ledgers = [1, 2, 3, 4].map(() => open(t, url))
  const steps = Array.from({ length: 50 }, (_, index) => place(name(index)))
  await ledgers[0]?.times(0)
  for (let round = 0; round < 5; round++) {
    const requestsOf = (replica: number) => {
      // Ids repeat: some are those of the round before, and the later request replaces the earlier one.
      const first = round * 700
      const more = { time: NOW + replica, durationMs: 500 + round }
      const requests = Array.from({ length: 1_000 }, (_, index) => slowRequest(`R-${first + index}`, more))
      return replica % 2 ? requests : requests.toReversed()
    }
    await Promise.all(
      ledgers.map((ledger, replica) =>
        ledger.recordTimes({
          // Two have the same name, as a writer whose first attempt is still running.
          writer: `w${replica % 3}`,
          // One is a day late, so that the others remove what it writes.
          slot: slotOf(NOW) - (replica === 1 ? MAX_SLOTS + 1 : 0) + round,
          steps,
          requests: requestsOf(replica),
        }),
      ),
    )
  }
  const { steps: last } = await open(t, url).times(slotOf(NOW) + 4)
  t.strictSame([...new Set(last.map(({ count }) => count))], [2 * place('').count])
  t.strictSame(
    (await open(t, url).times(0)).requests.map(({ time }) => time),
    Array.from({ length: MAX_READ_REQUESTS }, () => NOW + 3),
  )
  const { rowCount } = await connect(t, url).query('SELECT id FROM hydrant_slow_requests')
  t.equal(rowCount, MAX_SLOW_REQUESTS)
})

t.test('old requests that another replica is writing are removed later', async (t) => {
  const url = newDatabase()
  const ledger = open(t, url)
  const write = (slot: number, ...requests: SlowRequest[]) =>
    ledger.recordTimes({ writer: 'w1', slot, steps: [], requests })
  await write(slotOf(NOW), slowRequest('R-1'), slowRequest('R-2'))
  const holder = await connect(t, url).connect()
  await holder.query("BEGIN; SELECT id FROM hydrant_slow_requests WHERE id = 'r-1' FOR UPDATE")
  await write(slotOf(NOW) + MAX_SLOTS + 1)
  await holder.query('ROLLBACK')
  holder.release()
  t.strictSame([await ledger.slowRequest('R-1'), await ledger.slowRequest('R-2')], [slowRequest('R-1'), null])
  await write(slotOf(NOW) + MAX_SLOTS + 1)
  t.equal(await ledger.slowRequest('R-1'), null)
})

t.test('tables of an older version are migrated by one of the replicas that try', async (t) => {
  const url = newDatabase()
  await open(t, url).record([entry()])
  const next = [
    ...POSTGRES_MIGRATIONS,
    'ALTER TABLE hydrant_failures ADD COLUMN note text',
    'UPDATE hydrant_failures SET note = message',
  ]
  const pools = [1, 2, 3].map(() => connect(t, url))
  await Promise.all(pools.map((pool) => migratePostgres(pool, url, next)))
  const { rows } = await (pools[0] ?? connect(t, url)).query(
    'SELECT note, version FROM hydrant_failures, hydrant_schema',
  )
  t.strictSame(rows, [{ note: 'no price for 7', version: POSTGRES_MIGRATIONS.length + 2 }])
})

t.test('tables of a newer version are refused', async (t) => {
  const url = newDatabase()
  const pool = connect(t, url)
  await pool.query('CREATE TABLE hydrant_schema (version integer NOT NULL); INSERT INTO hydrant_schema VALUES (99)')
  await t.rejects(open(t, url).record([entry()]), { code: 'HYD_LEDGER_NEWER', message: /has format 99/ })
})

t.test('a user that may not create tables can use existing ones', async (t) => {
  const url = newDatabase()
  await open(t, url).record([])
  await connect(t, url).query(
    'CREATE ROLE writer LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO writer',
  )
  const ledger = open(t, url.replace('postgres:a-password@', 'writer:a-password@'))
  await ledger.record([entry()])
  t.strictSame(await ledger.fingerprints(), ['AAAAAAAA'])
})

t.test('continues after the server was unavailable, and with an empty server', async (t) => {
  const url = newDatabase()
  const ledger = open(t, url)
  await ledger.record([entry()])
  postgres.stop()
  await t.rejects(ledger.record([entry()]), { code: 'HYD_LEDGER_UNREACHABLE', message: /cannot be reached: \S/ })
  await t.rejects(ledger.list({}), { code: 'HYD_LEDGER_UNREACHABLE' })
  postgres.start()
  await ledger.record([entry()])
  t.equal((await ledger.read('AAAAAAAA'))?.count, 2)
  await connect(t, url).query(
    'DROP TABLE hydrant_schema, hydrant_batches, hydrant_hours, hydrant_occurrences, hydrant_failures, hydrant_releases, hydrant_times, hydrant_slow_requests',
  )
  await t.rejects(ledger.record([entry()]), { code: 'HYD_LEDGER_FAILED', message: /does not exist/ })
  await ledger.record([entry()])
  t.equal((await ledger.read('AAAAAAAA'))?.count, 1)
})

t.test('a batch whose commit is confirmed late, or never, is counted once', async (t) => {
  const url = newDatabase()
  const way = await startWay(t, url)
  const ledger = open(t, way.url)
  const writer = createLedgerWriter(ledger, { info() {}, warn() {} })
  writer.add(failure())
  await writer.flush()
  way.isLosing = true
  writer.add(failure())
  await writer.flush()
  t.equal(way.lost, 1)
  t.match(writer.stats(), { queued: 1, written: 1 })
  t.equal((await open(t, url).read('AAAAAAAA'))?.count, 2, 'it has been written')
  writer.add(failure())
  writer.add(failure())
  way.isLosing = false
  await writer.flush()
  t.match(writer.stats(), { queued: 0, written: 4 })
  t.equal((await ledger.read('AAAAAAAA'))?.count, 4)
  const pool = connect(t, url)
  t.equal((await pool.query('SELECT id FROM hydrant_batches')).rowCount, 3)
  await pool.query("UPDATE hydrant_batches SET written_at = now() - interval '61 minutes'")
  await ledger.record([entry()])
  t.equal((await pool.query('SELECT id FROM hydrant_batches')).rowCount, 1, 'those of an hour ago are removed')
  await writer.close()
})

/** A connection to the server on which the response to a commit can be lost. */
async function startWay(t: Test, url: string) {
  const folder = mkdtempSync(join(tmpdir(), 'way-'))
  const name = '.s.PGSQL.5432'
  const serverFolder = new URL(url.replace('@/', '@localhost/')).searchParams.get('host') ?? ''
  const way = {
    isLosing: false,
    lost: 0,
    url: url.replace(encodeURIComponent(serverFolder), encodeURIComponent(folder)),
  }
  const server = createServer((client) => {
    const backend = connectSocket(join(serverFolder, name))
    let isCommitting = false
    client.on('data', (bytes) => {
      isCommitting = bytes.includes('COMMIT')
      backend.write(bytes)
    })
    backend.on('data', (bytes) => {
      if (!way.isLosing || !isCommitting) return client.write(bytes)
      way.lost++
      client.destroy()
    })
    for (const [from, to] of [
      [client, backend],
      [backend, client],
    ] as const) {
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
  })
  await once(server.listen(join(folder, name)), 'listening')
  t.teardown(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })
  return way
}

t.test('a connection that breaks while idle does not end the process', async (t) => {
  const url = newDatabase()
  const ledger = open(t, url)
  await ledger.record([entry()])
  const other = connect(t, url)
  await other.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
  )
  await transact(other, async (client) => client.query('SELECT 1'))
  t.ok(await ledger.fingerprints().catch(() => ledger.fingerprints()))
})

t.test('a lock on the tables that lasts too long is not waited for', async (t) => {
  const url = newDatabase()
  const ledger = open(t, url)
  await ledger.record([entry()])
  const holder = await connect(t, url).connect()
  t.teardown(() => holder.release())
  await holder.query('BEGIN; LOCK TABLE hydrant_failures')
  await t.rejects(ledger.record([entry()]), { code: 'HYD_LEDGER_FAILED', message: /timeout/ })
  await holder.query('ROLLBACK')
  t.equal((await ledger.read('AAAAAAAA'))?.count, 1)
})

t.test('no text about a ledger contains the password', async (t) => {
  t.equal(
    placeOf('postgres://me:a-secret@db.example:5433/errors?password=another'),
    'postgres://db.example:5433/errors',
  )
  t.equal(placeOf('postgres://me:a-secret@/errors?host=/run'), 'postgres:///errors')
  t.equal(placeOf('postgres://me:a?se/cr@et@host/errors'), 'postgres://host/errors')
  const ledger = open(t, 'postgres://me:a-secret@127.0.0.1:1/errors?application_name=a-secret')
  const error = await ledger.record([entry()]).then(
    () => null,
    (error: Error) => error,
  )
  t.match(error, { code: 'HYD_LEDGER_UNREACHABLE' })
  t.notMatch(`${error?.message} ${error?.stack} ${String(error?.cause)}`, 'a-secret')
})

t.test('characters that a table cannot store are replaced in JSON, and nothing else', async (t) => {
  for (const text of ['a\0b', '\ud800', 'x\udfffy', '\\u0000', '\\\0', '\\\\u0000', '💧', 'ü"\n\\']) {
    const expected = text.replace(/\0|\p{Surrogate}/gu, '\ufffd')
    t.equal(JSON.parse(toJson(text)), expected, JSON.stringify(text))
  }
})
