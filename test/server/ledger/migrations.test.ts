// Ledgers that earlier versions have written, as they stand on disks and in databases.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import t, { type Test } from 'tap'
import type { Ledger } from '../../../src/server/ledger/ledger.ts'
import { createPostgresLedger } from '../../../src/server/ledger/postgres/postgres-ledger.ts'
import { migratePostgres, POSTGRES_MIGRATIONS } from '../../../src/server/ledger/postgres/schema.ts'
import { migrateSqlite, SQLITE_MIGRATIONS } from '../../../src/server/ledger/sqlite/schema.ts'
import { openSqliteLedger } from '../../../src/server/ledger/sqlite/sqlite-ledger.ts'
import { startPostgres } from '../../postgres.ts'
import { entry, LIMITS, NOW } from './entries.ts'

const postgres = startPostgres(t)

/** What the first version wrote of one cause that is solved. */
const [occurrence] = entry({ release: 'r2', message: 'no \0 \\' }).occurrences
const DATA = JSON.stringify(occurrence)
const CAUSE = ['AAAAAAAA', 'server', 'load', 'TypeError', 'no', 2, NOW, NOW, 'r1', 'r3', null, null, NOW + 5, 'no']
const ERROR = JSON.stringify({ type: 'TypeError', message: 'no', stack: [] })
const COLUMNS =
  'cause, side, phase, type, message, count, first_seen, last_seen, first_release, last_release, route, source, solved_at, search, error'

async function check(t: Test, ledger: Ledger) {
  t.teardown(() => ledger.close())
  const found = async (release: string) => (await ledger.list({ release })).length
  t.strictSame(await Promise.all(['r1', 'r2', 'r3', 'r9'].map(found)), [1, 0, 1, 0], 'its first and its last release')
  t.strictSame((await ledger.read('AAAAAAAA'))?.occurrences, [occurrence])
  t.strictSame(await ledger.releases(), ['r2'])
  await ledger.record([entry({ time: NOW + 6, release: 'r2' })])
  t.equal((await ledger.read('AAAAAAAA'))?.solvedAt, NOW + 5, 'a release that it knew')
  await ledger.record([entry({ time: NOW + 7, release: 'r2', build: 'b1' })])
  t.match(await ledger.read('AAAAAAAA'), { solvedAt: null, count: 4 }, 'a build that it has met since')
  t.equal(await found('r2'), 1)
}

t.test('a file of the first format is read, searched and written', async (t) => {
  const file = join(t.testdir({}), 'errors.db')
  const db = new Database(file)
  migrateSqlite(db, SQLITE_MIGRATIONS.slice(0, 1))
  db.prepare(`INSERT INTO causes (${COLUMNS}) VALUES (${COLUMNS.replace(/\w+/g, '?')})`).run(...CAUSE, ERROR)
  db.prepare(
    "INSERT INTO occurrences (cause, digest, time, route, is_recovered, data) VALUES ('AAAAAAAA', ?, ?, '/', 0, ?)",
  ).run('AAAAAAAA-000001', NOW, DATA)
  db.prepare("INSERT INTO releases VALUES ('r2', ?)").run(NOW)
  db.close()
  await check(t, await openSqliteLedger(file, LIMITS))
})

t.test('tables of an earlier format are read, searched and written', async (t) => {
  const url = postgres.createDatabase('earlier')
  const pool = new pg.Pool({ connectionString: url })
  await migratePostgres(pool, url, POSTGRES_MIGRATIONS.slice(0, 2))
  const places = CAUSE.map((_, index) => `$${index + 1}`)
  await pool.query(`INSERT INTO hydrant_causes (${COLUMNS}) VALUES (${places}, $${CAUSE.length + 1})`, [
    ...CAUSE,
    ERROR,
  ])
  await pool.query(
    "INSERT INTO hydrant_occurrences (cause, digest, time, route, is_recovered, data) VALUES ('AAAAAAAA', $1, $2, '/', FALSE, $3)",
    ['AAAAAAAA-000001', NOW, DATA],
  )
  await pool.query("INSERT INTO hydrant_releases VALUES ('r2', $1)", [NOW])
  await pool.end()
  await check(t, createPostgresLedger(url, LIMITS))
})
