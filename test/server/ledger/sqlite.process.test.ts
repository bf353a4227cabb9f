import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createThreadLedger } from '../../../src/server/ledger/ledger-thread.ts'
import { openLedger } from '../../../src/server/ledger/open-ledger.ts'
import { listSql } from '../../../src/server/ledger/rows.ts'
import { createFileLedger } from '../../../src/server/ledger/sqlite/file-ledger.ts'
import { migrateSqlite, openSqliteFile, SQLITE_MIGRATIONS } from '../../../src/server/ledger/sqlite/open-file.ts'
import { createSqliteLedger, openSqliteLedger } from '../../../src/server/ledger/sqlite/sqlite-ledger.ts'
import { slotOf } from '../../../src/server/ledger/times.ts'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { entry, LIMITS, NOW, name } from './entries.ts'
import { openDatabase } from './open-database.ts'
import { startWriter } from './writers.ts'

const newFile = (t: Test) => join(t.testdir({}), 'errors.db')

async function openAt(t: Test, file: string) {
  const ledger = await openSqliteLedger(file, LIMITS)
  t.teardown(() => ledger.close())
  return ledger
}

function openPlainly(t: Test, file: string) {
  const db = openDatabase(file)
  t.teardown(() => {
    if (db.isOpen) db.close()
  })
  return db
}

t.test('only the owner can read the file and the files next to it', async (t) => {
  const file = newFile(t)
  const ledger = await openAt(t, file)
  await ledger.record([entry()])
  for (const suffix of ['', '-wal', '-shm']) t.equal(statSync(file + suffix).mode & 0o777, 0o600, suffix)
})

t.test('processes that write at once lose nothing, and none reads half a batch', async (t) => {
  const file = newFile(t)
  const writers = ['r1', 'r2'].map((release) => startWriter(t, file, 60, release))
  await Promise.all(writers.map((writer) => writer.written(1)))
  const ledger = await openAt(t, file)
  let isOver = false
  const ended = Promise.all(writers.map((writer) => writer.ended)).finally(() => {
    isOver = true
  })
  let reads = 0
  do {
    const counts = (await ledger.list({})).map(({ count }) => count)
    if (new Set(counts).size !== 1) t.fail(`half a batch: ${counts}`)
    reads++
    await new Promise(setImmediate)
  } while (!isOver)
  t.strictSame(await ended, [0, 0])
  t.ok(reads > 1, `${reads} reads beside the writers`)
  const found = await ledger.list({})
  t.strictSame(
    found.map(({ count }) => count),
    [240, 240, 240, 240, 240],
  )
  const hours = await ledger.hours(0)
  t.equal(
    hours.reduce((sum, { count }) => sum + count, 0),
    1_200,
  )
  t.equal((await ledger.stats()).occurrences, 500, 'within the limit')
})

t.test('a copy of the file and its log can be read elsewhere', async (t) => {
  const file = newFile(t)
  const ledger = await openAt(t, file)
  await ledger.record([entry()])
  mkdirSync(join(file, '..', 'copy'))
  const copy = join(file, '..', 'copy', 'errors.db')
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, copy + suffix)
  t.equal((await (await openAt(t, copy)).list({})).length, 1)
})

t.test('a command reads the ledger of a server of that site, and creates no file', async (t) => {
  const dir = t.testdir({})
  const options = resolveOptions({})
  await t.rejects(openLedger(dir, options), { code: 'HYD_LEDGER_MISSING', message: /hydrant-errors\.db$/ })
  t.strictSame(readdirSync(dir), [])
  await (await openAt(t, join(dir, 'hydrant-errors.db'))).record([entry()])
  const read = await openLedger(dir, options)
  t.strictSame(await read.fingerprints(), ['AAAAAAAA'])
  await read.close()
  await t.rejects(openLedger(dir, { ...options, ledger: false }), { code: 'HYD_LEDGER_OFF' })
})

t.test('a file of an older format is migrated with its data', async (t) => {
  const file = newFile(t)
  const ledger = await openAt(t, file)
  await ledger.record([entry()])
  await ledger.close()
  const db = openPlainly(t, file)
  const next = [...SQLITE_MIGRATIONS, 'ALTER TABLE failures ADD COLUMN note TEXT', 'UPDATE failures SET note = message']
  migrateSqlite(db, next, file)
  t.equal(db.pragma('user_version', { simple: true }), SQLITE_MIGRATIONS.length + 2)
  t.strictSame(db.prepare('SELECT note FROM failures').pluck().all(), ['no price for 7'])
  migrateSqlite(db, next, file)
  t.equal(db.pragma('user_version', { simple: true }), SQLITE_MIGRATIONS.length + 2, 'once')
})

t.test('a migration that fails leaves the file unchanged', async (t) => {
  const file = newFile(t)
  const db = openPlainly(t, file)
  migrateSqlite(db, SQLITE_MIGRATIONS, file)
  t.throws(() => migrateSqlite(db, [...SQLITE_MIGRATIONS, 'CREATE TABLE a (b)', 'CREATE TABLE failures (b)'], file))
  t.equal(db.pragma('user_version', { simple: true }), SQLITE_MIGRATIONS.length)
  t.equal(db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'a'").get(), undefined)
})

t.test('a file of a newer format is refused and left unchanged', async (t) => {
  const file = newFile(t)
  const db = openPlainly(t, file)
  db.pragma('user_version = 99')
  db.close()
  await t.rejects(openSqliteLedger(file, LIMITS), {
    code: 'HYD_LEDGER_NEWER',
    message: `the ledger ${file} has format 99; this version of hydrant supports formats up to ${SQLITE_MIGRATIONS.length}`,
  })
  t.equal(openPlainly(t, file).pragma('user_version', { simple: true }), 99)
})

t.test('a list uses an index, however many occurrences there are', async (t) => {
  const file = newFile(t)
  await openAt(t, file)
  const db = openPlainly(t, file)
  const plan = (query: Parameters<typeof listSql>[0]) => {
    const { sql, values } = listSql(query, { prefix: '', position: 'instr' })
    const named = Object.fromEntries(values.map((value, index) => [index + 1, value]))
    const steps = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(named)
    return steps.map(({ detail }) => detail)
  }
  t.strictSame(plan({ limit: 50 }), ['SCAN failures USING INDEX failures_by_last_seen'], 'nothing is sorted')
  t.match(plan({ since: NOW }), [/^SEARCH failures USING INDEX failures_by_last_seen/])
  t.match(plan({ route: '/' }).join('\n'), /SEARCH o .*USING COVERING INDEX occurrences_by_fingerprint/)
})

t.test('texts with NUL are stored and searched to their end', async (t) => {
  const ledger = await openAt(t, newFile(t))
  await ledger.record([entry({ message: 'one\0two', route: '/three' })])
  t.strictSame(
    (await ledger.list({})).map(({ message }) => message),
    ['one\ufffdtwo'],
  )
  t.equal((await ledger.read('AAAAAAAA'))?.error.message, 'one\0two')
  t.equal((await ledger.list({ search: 'one\0two' })).length, 1)
  t.equal((await ledger.list({ search: 'one\0three' })).length, 0)
})

t.test('a new file has a write-ahead log, and can shrink', async (t) => {
  const file = newFile(t)
  await openAt(t, file)
  const db = openPlainly(t, file)
  const read = (name: string) => db.pragma(name, { simple: true })
  t.strictSame([read('journal_mode'), read('auto_vacuum')], ['wal', 2])
})

t.test('removed data frees space', async (t) => {
  const file = newFile(t)
  const ledger = await openSqliteLedger(file, { ...LIMITS, maxBytes: 2_000_000 })
  t.teardown(() => ledger.close())
  const message = 'x'.repeat(50_000)
  for (let number = 0; number < 200; number++) {
    await ledger.record([entry({ fingerprint: name(number), time: NOW + number, message })])
  }
  const db = openPlainly(t, file)
  const pages = Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }))
  t.ok(pages < 3_000_000, `${pages} bytes, though some 20 000 000 were written`)
  t.equal(db.pragma('integrity_check', { simple: true }), 'ok')
})

t.test('a smaller limit gives unneeded space back to the system', async (t) => {
  const file = newFile(t)
  const large = await openAt(t, file)
  const message = 'x'.repeat(50_000)
  const entries = Array.from({ length: 100 }, (_, number) =>
    entry({ fingerprint: name(number), time: NOW + number, message }),
  )
  await large.record(entries)
  await large.close()
  const before = statSync(file).size
  const small = await openSqliteLedger(file, { ...LIMITS, maxBytes: 1_000_000 })
  for (let batch = 0; batch < 10; batch++)
    await small.record([entry({ fingerprint: name(99), time: NOW + 1_000 + batch })])
  t.ok((await small.stats()).bytes < 1_000_000, 'a bounded part with each batch')
  await small.close()
  t.ok(statSync(file).size < before / 2, `${statSync(file).size} of ${before} bytes`)
})

t.test('a batch is stored once, also when no space can be given back afterwards', async (t) => {
  const file = newFile(t)
  const db = await openSqliteFile(file)
  let isFull = false
  let refused = 0
  const pragma: typeof db.pragma = (sql, options) => {
    if (!isFull || !sql.startsWith('incremental_vacuum')) return db.pragma(sql, options)
    refused++
    throw new Error('database or disk is full')
  }
  const create = (maxBytes: number) => createSqliteLedger({ ...db, pragma }, file, { ...LIMITS, maxBytes }, db.close)
  const message = 'x'.repeat(50_000)
  const entries = Array.from({ length: 100 }, (_, number) => entry({ fingerprint: name(number), message }))
  await create(LIMITS.maxBytes).record(entries)
  const ledger = create(1_000_000)
  t.teardown(() => ledger.close())
  isFull = true
  t.equal(await ledger.record([entry({ fingerprint: name(100), time: NOW + 1_000 })]), 'stored')
  await ledger.recordTimes({ writer: 'w1', slot: slotOf(NOW), steps: [], requests: [] })
  t.equal(refused, 2)
  t.match(await ledger.read(name(100)), { count: 1 })
  const pages = () => Number(db.pragma('page_count', { simple: true }))
  const before = pages()
  isFull = false
  await ledger.record([])
  t.ok(pages() < before, 'the next batch gives space back')
})

t.test('a damaged file is moved aside, and the batch is written to a new one', async (t) => {
  const file = join(t.testdir({}), 'hydrant-errors.db')
  const notices: string[] = []
  const broken = Buffer.alloc(8_192, 'no database')
  writeFileSync(file, broken)
  const ledger = createFileLedger(file, LIMITS, (text) => notices.push(text))
  t.teardown(() => ledger.close())
  await ledger.record([entry()])
  t.strictSame(await ledger.fingerprints(), ['AAAAAAAA'])
  const [aside = '', ...others] = readdirSync(join(file, '..')).filter((found) => found.includes('corrupt'))
  t.match(aside, /^hydrant-errors\.db\.corrupt-\d{4}-\d\d-\d\dT[\d-]+\.\d+Z$/)
  t.strictSame(others, [])
  t.strictSame(readFileSync(join(file, '..', aside)), broken, 'nothing of it is lost')
  t.match(notices, [/is damaged: it was moved to .*errors\.db\.corrupt-.*, and a new ledger was created$/])
})

t.test('a file that turns out to be damaged later is moved aside too', async (t) => {
  const file = newFile(t)
  // The driver closes the file completely when its thread exits.
  const first = createThreadLedger({ file, limits: LIMITS }, t.fail)
  for (let number = 0; number < 50; number++) {
    await first.record([entry({ fingerprint: name(number), message: 'x'.repeat(5_000) })])
  }
  await first.close()
  // The file header stays, so the file opens.
  const bytes = readFileSync(file)
  bytes.fill(0xff, 8_192)
  writeFileSync(file, bytes)
  const notices: string[] = []
  const ledger = createFileLedger(file, LIMITS, (text) => notices.push(text))
  t.teardown(() => ledger.close())
  await ledger.record([entry({ fingerprint: name(7) })])
  t.match(await ledger.read(name(7)), { count: 1 })
  t.equal(notices.length, 1)
  t.equal(openPlainly(t, file).pragma('integrity_check', { simple: true }), 'ok')
})

t.test('a command does not change a damaged file', async (t) => {
  const dir = t.testdir({ 'hydrant-errors.db': 'no database'.repeat(1_000) })
  await t.rejects(openLedger(dir, resolveOptions({})), { code: 'HYD_LEDGER_DAMAGED' })
  t.strictSame(readdirSync(dir), ['hydrant-errors.db'])
})

t.test('a file that was removed is created again', async (t) => {
  const file = newFile(t)
  const ledger = createFileLedger(file, LIMITS, t.fail)
  t.teardown(() => ledger.close())
  await ledger.record([entry()])
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix)
  await ledger.record([entry({ fingerprint: 'BBBBBBBB' })])
  t.strictSame(await ledger.fingerprints(), ['BBBBBBBB'])
  rmSync(file)
  await ledger.record([entry({ fingerprint: 'CCCCCCCC' })])
  t.strictSame(await ledger.fingerprints(), ['CCCCCCCC'], 'nor does the log that was left bring anything back')
  t.equal(openPlainly(t, file).pragma('integrity_check', { simple: true }), 'ok')
})

t.test('a writer that is killed loses at most the batch that it was writing, and never the file', async (t) => {
  const folder = t.testdir({})
  for (let round = 1; round <= 3; round++) {
    const file = join(folder, `${round}.db`)
    const writer = startWriter(t, file, 100_000)
    await writer.written(20 * round)
    const said = await writer.kill()
    const db = openPlainly(t, file)
    t.equal(db.pragma('integrity_check', { simple: true }), 'ok')
    const counts = db.prepare<[], number>('SELECT count FROM failures').pluck().all()
    t.equal(new Set(counts).size, 1, 'whole batches only')
    const batches = (counts[0] ?? 0) / 2
    t.ok(batches >= said, `${batches} batches of ${said} that were said to be written`)
  }
})
