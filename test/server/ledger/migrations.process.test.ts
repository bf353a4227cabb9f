import { join } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import { hourOf } from '../../../src/server/ledger/entries.ts'
import type { Ledger } from '../../../src/server/ledger/ledger.ts'
import { createLedger } from '../../../src/server/ledger/open-ledger.ts'
import { createPostgresLedger } from '../../../src/server/ledger/postgres/postgres-ledger.ts'
import { migratePostgres, POSTGRES_MIGRATIONS } from '../../../src/server/ledger/postgres/schema.ts'
import type { Database } from '../../../src/server/ledger/sqlite/database.ts'
import { migrateSqlite, SQLITE_MIGRATIONS } from '../../../src/server/ledger/sqlite/open-file.ts'
import { openSqliteLedger, readSqliteLedger } from '../../../src/server/ledger/sqlite/sqlite-ledger.ts'
import { slotOf } from '../../../src/server/ledger/times.ts'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { startPostgres } from '../../postgres.ts'
import { entry, LIMITS, NOW } from './entries.ts'
import { openDatabase } from './open-database.ts'
import { place, slowRequest } from './times-entries.ts'

// Ledgers of earlier versions, and servers that run while a newer version migrates their ledger.

const postgres = startPostgres(t)

/** The rows of one solved failure as the first versions wrote them. They called a fingerprint a cause. */
const [occurrence] = entry({ release: 'r2', message: 'no \0 \\' }).occurrences
const DATA = JSON.stringify(occurrence)
const FAILURE = ['AAAAAAAA', 'server', 'load', 'TypeError', 'no', 2, NOW, NOW, 'r1', 'r3', null, null, NOW + 5, 'no']
const ERROR = JSON.stringify({ type: 'TypeError', message: 'no', stack: [] })
const COLUMNS =
  'side, phase, type, message, count, first_seen, last_seen, first_release, last_release, route, source, solved_at, search, error'

async function check(t: Test, ledger: Ledger) {
  t.teardown(() => ledger.close())
  const found = async (release: string) => (await ledger.list({ release })).length
  t.strictSame(await Promise.all(['r1', 'r2', 'r3', 'r9'].map(found)), [1, 0, 1, 0], 'its first and its last release')
  t.match(await ledger.read('AAAAAAAA'), { fingerprint: 'AAAAAAAA', message: 'no', count: 2, firstSeen: NOW })
  t.strictSame((await ledger.read('AAAAAAAA'))?.occurrences, [occurrence])
  t.strictSame(await ledger.hours(0), [{ fingerprint: 'AAAAAAAA', hour: hourOf(NOW), count: 2 }])
  t.strictSame(await ledger.releases(), ['r2'])
  t.match(await ledger.stats(), { failures: 1, occurrences: 1 })
  await ledger.record([entry({ time: NOW + 6, release: 'r2' })])
  t.equal((await ledger.read('AAAAAAAA'))?.solvedAt, NOW + 5, 'a release that it knew')
  await ledger.record([entry({ time: NOW + 7, release: 'r2', build: 'b1' })])
  t.match(await ledger.read('AAAAAAAA'), { solvedAt: null, count: 4 }, 'a build that it has met since')
  t.equal(await found('r2'), 1)
  t.strictSame(await ledger.hours(0), [{ fingerprint: 'AAAAAAAA', hour: hourOf(NOW), count: 4 }])
  const times = { steps: [place('a')], requests: [slowRequest('R-1')] }
  t.strictSame(await ledger.times(0), { steps: [], requests: [], oldestSlot: null })
  await ledger.recordTimes({ writer: 'w1', slot: slotOf(NOW), ...times })
  t.strictSame(await ledger.times(0), { ...times, oldestSlot: slotOf(NOW) })
}

/** Returns what the version with that number of migrations called the table of failures and its key. */
function namesIn(version: number, firstRenamed: number): [table: string, key: string] {
  return version < firstRenamed ? ['causes', 'cause'] : ['failures', 'fingerprint']
}

/** Writes a file as the version with that number of migrations wrote it. */
function earlierFile(t: Test, version: number) {
  const [table, key] = namesIn(version, 4)
  const file = join(t.testdir({}), 'errors.db')
  const db = openDatabase(file)
  t.teardown(() => {
    if (db.isOpen) db.close()
  })
  db.pragma('journal_mode = WAL')
  migrateSqlite(db, SQLITE_MIGRATIONS.slice(0, version), file)
  db.prepare(`INSERT INTO ${table} (${key}, ${COLUMNS}) VALUES (?, ${COLUMNS.replace(/\w+/g, '?')})`).run(
    ...FAILURE,
    ERROR,
  )
  db.prepare(
    `INSERT INTO occurrences (${key}, digest, time, route, is_recovered, data) VALUES ('AAAAAAAA', ?, ?, '/', 0, ?)`,
  ).run('AAAAAAAA-000001', NOW, DATA)
  db.prepare(`INSERT INTO hours (${key}, hour, count) VALUES ('AAAAAAAA', ?, 2)`).run(hourOf(NOW))
  db.prepare("INSERT INTO releases (release, first_met) VALUES ('r2', ?)").run(NOW)
  return { file, db }
}

for (const version of [1, 3, SQLITE_MIGRATIONS.length - 1]) {
  t.test(`a file of format ${version} is read, searched and written`, async (t) => {
    const { file, db } = earlierFile(t, version)
    db.close()
    await check(t, await openSqliteLedger(file, LIMITS))
  })

  t.test(`a file of format ${version} is migrated to the format of a new file`, async (t) => {
    const { file, db } = earlierFile(t, version)
    migrateSqlite(db, SQLITE_MIGRATIONS, file)
    const fresh = openDatabase(':memory:')
    migrateSqlite(fresh, SQLITE_MIGRATIONS, ':memory:')
    const schemaOf = (one: Database) => one.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all()
    t.strictSame(schemaOf(db), schemaOf(fresh))
    t.notMatch(JSON.stringify(schemaOf(db)), 'cause')
    t.strictSame(db.pragma('foreign_key_check'), [])
    t.equal(db.pragma('integrity_check', { simple: true }), 'ok')
    for (const table of ['occurrences', 'hours'])
      t.match(db.pragma(`foreign_key_list(${table})`), [
        { table: 'failures', from: 'fingerprint', on_delete: 'CASCADE' },
      ])
    db.pragma('foreign_keys = ON')
    db.exec('DELETE FROM failures')
    const left = db.prepare('SELECT (SELECT count(*) FROM occurrences) + (SELECT count(*) FROM hours)').pluck().get()
    t.equal(left, 0, 'with all that belongs to it')
  })

  t.test(`a command reads a file of format ${version} and does not change it`, async (t) => {
    const { file, db } = earlierFile(t, version)
    const read = async () => {
      const ledger = await readSqliteLedger(file, LIMITS)
      t.match(await ledger.read('AAAAAAAA'), { count: 2, occurrences: [{ digest: occurrence?.digest }] })
      t.strictSame(await ledger.times(0), { steps: [], requests: [], oldestSlot: null })
      t.equal(await ledger.slowRequest('R-1'), null)
      await ledger.close()
    }
    await read()
    t.equal(db.pragma('user_version', { simple: true }), version, 'while a server has it open')
    db.close()
    await read()
    const after = openDatabase(file, { readOnly: true })
    t.teardown(() => after.close())
    t.equal(after.pragma('user_version', { simple: true }), version)
  })
}

/** Creates tables as the version with that number of migrations wrote them. Returns the database's URL. */
async function earlierTables(t: Test, version: number) {
  const [table, key] = namesIn(version, 5)
  const url = postgres.createDatabase(`earlier${version}`)
  const pool = new pg.Pool({ connectionString: url })
  t.teardown(() => pool.end())
  await migratePostgres(pool, url, POSTGRES_MIGRATIONS.slice(0, version))
  const places = FAILURE.map((_, index) => `$${index + 1}`)
  await pool.query(`INSERT INTO hydrant_${table} (${key}, ${COLUMNS}) VALUES (${places}, $${FAILURE.length + 1})`, [
    ...FAILURE,
    ERROR,
  ])
  await pool.query(
    `INSERT INTO hydrant_occurrences (${key}, digest, time, route, is_recovered, data) VALUES ('AAAAAAAA', $1, $2, '/', FALSE, $3)`,
    ['AAAAAAAA-000001', NOW, DATA],
  )
  await pool.query(`INSERT INTO hydrant_hours (${key}, hour, count) VALUES ('AAAAAAAA', $1, 2)`, [hourOf(NOW)])
  await pool.query("INSERT INTO hydrant_releases (release, first_met) VALUES ('r2', $1)", [NOW])
  return { url, pool }
}

/** Returns the names of columns, indexes and keys, which operators see. */
const NAMES = `
  SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_name LIKE 'hydrant%'
  UNION ALL SELECT indexdef FROM pg_indexes WHERE tablename LIKE 'hydrant%'
  UNION ALL SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
    WHERE contype IN ('p', 'f') AND conrelid::regclass::text LIKE 'hydrant%'
  ORDER BY name`

for (const version of [1, 2, 4, POSTGRES_MIGRATIONS.length - 1]) {
  t.test(
    `tables of format ${version} are read, searched and written, whoever of several servers finds them`,
    async (t) => {
      const { url, pool } = await earlierTables(t, version)
      const servers = [1, 2, 3].map(() => createPostgresLedger(url, LIMITS))
      const found = await Promise.all(servers.map((server) => server.fingerprints()))
      t.strictSame(found, [['AAAAAAAA'], ['AAAAAAAA'], ['AAAAAAAA']])
      await Promise.all(servers.map((server) => server.close()))
      const freshUrl = postgres.createDatabase(`fresh${version}`)
      const fresh = new pg.Pool({ connectionString: freshUrl })
      t.teardown(() => fresh.end())
      await migratePostgres(fresh, freshUrl, POSTGRES_MIGRATIONS)
      const names = (await pool.query(NAMES)).rows
      t.strictSame(names, (await fresh.query(NAMES)).rows, 'as new tables are')
      t.notMatch(JSON.stringify(names), 'cause')
      await check(t, createPostgresLedger(url, LIMITS))
      await pool.query('DELETE FROM hydrant_failures')
      const { rows } = await pool.query(
        'SELECT (SELECT count(*) FROM hydrant_occurrences) + (SELECT count(*) FROM hydrant_hours) AS left',
      )
      t.match(rows, [{ left: '0' }], 'with all that belongs to it')
    },
  )
}

/** Changes that a later version may make to a ledger while this version has it open. */
const OVERTAKE: Record<string, (t: Test) => { ledger: string; overtake: () => Promise<void> }> = {
  SQLite(t) {
    const ledger = join(t.testdir({}), 'errors.db')
    return {
      ledger,
      async overtake() {
        const db = openDatabase(ledger)
        migrateSqlite(db, [...SQLITE_MIGRATIONS, 'ALTER TABLE failures RENAME TO renamed'], ledger)
        db.close()
      },
    }
  },
  PostgreSQL() {
    const ledger = postgres.createDatabase('overtaken')
    return {
      ledger,
      async overtake() {
        const pool = new pg.Pool({ connectionString: ledger })
        await migratePostgres(pool, ledger, [...POSTGRES_MIGRATIONS, 'ALTER TABLE hydrant_failures RENAME TO renamed'])
        await pool.end()
      },
    }
  },
}

for (const [store, prepare] of Object.entries(OVERTAKE)) {
  t.test(
    `${store}: a server that runs while a newer version renames a table keeps failures in memory, and says so`,
    async (t) => {
      const { ledger: place, overtake } = prepare(t)
      const warnings: unknown[][] = []
      const log = { warn: (...words: unknown[]) => void warnings.push(words) }
      const ledger = createLedger(t.testdirName, resolveOptions({ given: { ledger: place } }), log)
      t.teardown(() => ledger.close())
      await ledger.record([entry()])
      await overtake()
      const batch = [entry({ fingerprint: 'BBBBBBBB' })]
      // PostgreSQL's tables are checked again at the next use, as after each error.
      await ledger.record(batch).catch(() => ledger.record(batch))
      t.strictSame(await ledger.fingerprints(), ['BBBBBBBB'])
      t.match(warnings, [
        [{ err: { code: 'HYD_LEDGER_NEWER' } }, /^failures are kept in memory until the server stops: /],
      ])
      t.equal(warnings.length, 1)
    },
  )
}
