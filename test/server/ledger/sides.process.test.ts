// Ledgers from before the first character of a fingerprint showed its side, and fingerprints that both sides have.

import { join } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import { findFailure } from '../../../src/server/admin/api.ts'
import type { LedgerEntry } from '../../../src/server/ledger/entries.ts'
import type { Ledger } from '../../../src/server/ledger/ledger.ts'
import { createWriteQueue } from '../../../src/server/ledger/ledger-writer.ts'
import { createMemoryLedger } from '../../../src/server/ledger/memory-ledger.ts'
import { createPostgresLedger } from '../../../src/server/ledger/postgres/postgres-ledger.ts'
import { migratePostgres, POSTGRES_MIGRATIONS } from '../../../src/server/ledger/postgres/schema.ts'
import { migrateSqlite, SQLITE_MIGRATIONS } from '../../../src/server/ledger/sqlite/open-file.ts'
import { openSqliteLedger } from '../../../src/server/ledger/sqlite/sqlite-ledger.ts'
import { startPostgres } from '../../postgres.ts'
import { earlierReleases, earlierRows, insertSql } from './earlier-rows.ts'
import { entry, failure, LIMITS, NOW } from './entries.ts'
import { openDatabase } from './open-database.ts'

const postgres = startPostgres(t)
let databases = 0
const newDatabase = () => postgres.createDatabase(`sides${++databases}`)

const CLIENT = { side: 'client', phase: 'client' } as const
const OLD = [
  entry({ fingerprint: 'XAAAAAAA', message: 'of the server' }),
  entry({ fingerprint: '7AAAAAAA', message: 'of the server, as it is' }),
  entry({ fingerprint: 'ZAAAAAAA', message: 'of a browser, as it is', ...CLIENT }),
  entry({ fingerprint: '5AAAAAAA', message: 'of a browser', ...CLIENT }),
  // Both would get the other's fingerprint.
  entry({ fingerprint: 'GBBBBBBB', message: 'taken, of the server' }),
  entry({ fingerprint: '0BBBBBBB', message: 'taken, of a browser', ...CLIENT }),
]

const ROWS = [...earlierReleases(OLD, NOW), ...OLD.flatMap(earlierRows)]

/** Creates a ledger with the data of an earlier version. The first failure is solved. */
const EARLIER: Record<string, (t: Test) => Promise<Ledger>> = {
  async SQLite(t) {
    const file = join(t.testdir({}), 'errors.db')
    const db = openDatabase(file)
    migrateSqlite(db, SQLITE_MIGRATIONS.slice(0, 1), file)
    for (const row of ROWS) {
      const values = Object.values(row.values).map((value) => (typeof value === 'boolean' ? Number(value) : value))
      db.prepare(insertSql(row, '', () => '?')).run(...values)
    }
    db.exec(`UPDATE causes SET solved_at = ${NOW} WHERE cause = 'XAAAAAAA'`)
    db.close()
    return openSqliteLedger(file, LIMITS)
  },
  async PostgreSQL(t) {
    const url = newDatabase()
    const pool = new pg.Pool({ connectionString: url, max: 2 })
    t.teardown(() => pool.end())
    await migratePostgres(pool, url, POSTGRES_MIGRATIONS.slice(0, 2))
    for (const row of ROWS)
      await pool.query(
        insertSql(row, 'hydrant_', (number) => `$${number}`),
        Object.values(row.values),
      )
    await pool.query(`UPDATE hydrant_causes SET solved_at = ${NOW} WHERE cause = 'XAAAAAAA'`)
    return createPostgresLedger(url, LIMITS)
  },
}

for (const [store, openEarlier] of Object.entries(EARLIER)) {
  t.test(`${store} of an earlier version: each fingerprint has the first character of its side`, async (t) => {
    const ledger = await openEarlier(t)
    t.teardown(() => ledger.close())
    const fingerprints = ['0BBBBBBB', '7AAAAAAA', 'DAAAAAAA', 'GBBBBBBB', 'NAAAAAAA', 'ZAAAAAAA']
    t.strictSame((await ledger.fingerprints()).sort(), fingerprints)
    const moved = await ledger.read('DAAAAAAA')
    t.match(moved, { message: 'of the server', side: 'server', count: 1, solvedAt: NOW })
    t.strictSame(moved?.occurrences, OLD[0]?.occurrences, 'with the digest that the visitor has read')
    t.match(await ledger.read('NAAAAAAA'), { message: 'of a browser', side: 'client', occurrences: [{ time: NOW }] })
    t.strictSame((await ledger.hours(0)).map(({ fingerprint }) => fingerprint).sort(), fingerprints)
    t.strictSame(
      (await ledger.list({ search: 'daaaaaaa' })).map(({ fingerprint }) => fingerprint),
      ['DAAAAAAA'],
    )
    t.match(await findFailure(ledger, 'xaaaaaaa-000001'), {
      kind: 'found',
      digest: 'XAAAAAAA-000001',
      isKept: true,
      failure: { fingerprint: 'DAAAAAAA' },
    })
    await ledger.record([entry({ fingerprint: 'XAAAAAAA', ...CLIENT, digest: 'XAAAAAAA-000009', message: 'forged' })])
    t.match(await findFailure(ledger, 'XAAAAAAA-000001'), { failure: { message: 'of the server' } }, 'not the report')
    await ledger.record([entry({ fingerprint: 'DAAAAAAA', digest: 'DAAAAAAA-000002', time: NOW + 1 })])
    t.match(await ledger.read('DAAAAAAA', { occurrence: '000001' }), {
      count: 2,
      solvedAt: NOW,
      occurrences: [{ digest: 'XAAAAAAA-000001' }, { digest: 'DAAAAAAA-000002' }],
    })
  })
}

const STORES: Record<string, (t: Test) => Promise<Ledger>> = {
  memory: async () => createMemoryLedger(LIMITS),
  SQLite: (t) => openSqliteLedger(join(t.testdir({}), 'errors.db'), LIMITS),
  PostgreSQL: async () => createPostgresLedger(newDatabase(), LIMITS),
}

const server = (digest: string, message = 'of the server') => entry({ digest: `AAAAAAAA-${digest}`, message })
const client = (digest: string) =>
  entry({
    ...CLIENT,
    digest: `AAAAAAAA-${digest}`,
    message: 'forged',
    release: 'r9',
    time: NOW + 5_000,
    route: '/forged',
  })

for (const [store, open] of Object.entries(STORES)) {
  t.test(`${store}: a report never changes a server failure, whichever came first`, async (t) => {
    const orders: readonly (readonly LedgerEntry[])[][] = [
      [[server('000001')], [client('000002')]],
      [[client('000002')], [server('000001')]],
      [[client('000002'), server('000001')]],
      [[server('000001'), client('000002')]],
      [[client('000003')], [client('000002'), server('000001')], [client('000004')]],
    ]
    for (const batches of orders) {
      const ledger = await open(t)
      t.teardown(() => ledger.close())
      for (const batch of batches) await ledger.record(batch)
      const found = await ledger.read('AAAAAAAA')
      const expected = { side: 'server', message: 'of the server', count: 1, lastSeen: NOW, lastRelease: 'r1' }
      t.match(found, { ...expected, route: '/products/[id]', error: { message: 'of the server' } })
      t.strictSame(
        found?.occurrences.map(({ digest }) => digest),
        ['AAAAAAAA-000001'],
      )
      t.equal(
        (await ledger.hours(0)).reduce((sum, { count }) => sum + count, 0),
        1,
      )
      await ledger.setSolved('AAAAAAAA', NOW + 1)
      await ledger.record([client('000006')])
      t.equal((await ledger.read('AAAAAAAA'))?.solvedAt, NOW + 1, 'it stays solved')
    }
  })
}

t.test('queued failures are distinguished by side', async (t) => {
  const queue = createWriteQueue(100_000)
  for (const side of ['server', 'client', 'server'] as const) queue.add(failure({ side, message: side }))
  queue.addAll([entry({ side: 'client', message: 'client' })])
  const batch = queue.batch(10)
  t.strictSame(
    batch.map(({ side, count, error }) => [side, count, error.message]),
    [
      ['server', 2, 'server'],
      ['client', 2, 'client'],
    ],
  )
  t.equal(queue.batch(10), batch, 'the same array until it is written')
  t.equal(queue.count(), 4)
  queue.release()
  t.ok(queue.isEmpty())
})
