// Files of other programs at the place of the ledger.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createServer } from '../../../src/server/create-server.ts'
import { createThreadLedger } from '../../../src/server/ledger/ledger-thread.ts'
import { checkLedger, createLedger, openLedger } from '../../../src/server/ledger/open-ledger.ts'
import { createFileLedger } from '../../../src/server/ledger/sqlite/file-ledger.ts'
import { openSqliteLedger } from '../../../src/server/ledger/sqlite/sqlite-ledger.ts'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { writeTestSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { entry, LIMITS } from './entries.ts'
import { openDatabase } from './open-database.ts'

const FOREIGN = { code: 'HYD_LEDGER_FOREIGN' }
const optionsFor = (ledger: string) => resolveOptions({ given: { ledger } })

/** Creates a database with a table of another program. Returns its file. */
function createShop(t: Test, sql = ''): string {
  const file = join(t.testdir({}), 'shop.db')
  const db = openDatabase(file)
  db.exec(`CREATE TABLE orders (id INTEGER PRIMARY KEY); INSERT INTO orders VALUES (7); ${sql}`)
  db.close()
  return file
}

t.test('a server refuses a file that is not an SQLite database, and leaves it', async (t) => {
  const dir = t.testdir({ 'notes.txt': 'Buy bread.', short: 'a' })
  writeTestSite(dir, { '/': {} })
  const before = readdirSync(dir)
  await t.rejects(createServer({ dir, logger: false, ledger: 'notes.txt' }), {
    ...FOREIGN,
    message: `the file ${join(dir, 'notes.txt')} is not a ledger of Hydrant: it is not an SQLite database`,
    fix: /^Name a ledger, or a file that does not exist yet, with "ledger" or HYDRANT_LEDGER/,
  })
  await t.rejects(checkLedger(dir, { ledger: 'short' }), FOREIGN)
  await t.rejects(openLedger(dir, optionsFor('notes.txt')), FOREIGN, 'and so does a command')
  t.strictSame(readdirSync(dir), before)
  t.equal(readFileSync(join(dir, 'notes.txt'), 'utf8'), 'Buy bread.')
})

t.test('a server and a command refuse the database of another program, and do not change it', async (t) => {
  for (const sql of ['', 'PRAGMA user_version = 2', 'PRAGMA user_version = 99', 'PRAGMA journal_mode = WAL']) {
    const file = createShop(t, sql)
    const bytes = readFileSync(file)
    const dir = join(file, '..')
    const message = /shop\.db is not a ledger of Hydrant: it is an SQLite database with other tables, like "orders"$/
    await t.rejects(checkLedger(dir, { ledger: file }), { ...FOREIGN, message }, sql)
    await t.rejects(openLedger(dir, optionsFor(file)), { ...FOREIGN, message }, sql)
    await t.rejects(openSqliteLedger(file, LIMITS), { ...FOREIGN, message }, sql)
    t.strictSame(readFileSync(file), bytes, sql)
    // The driver removes the log of the database when this process exits.
    t.strictSame(
      readdirSync(dir).filter((name) => !/-(?:wal|shm)$/.test(name)),
      ['shop.db'],
      sql,
    )
  }
})

t.test('a database that another program has open is refused', async (t) => {
  const file = createShop(t, 'PRAGMA journal_mode = WAL')
  const db = openDatabase(file)
  t.teardown(() => db.close())
  db.exec('INSERT INTO orders VALUES (8)')
  await t.rejects(checkLedger('.', { ledger: file }), FOREIGN)
  await t.rejects(openLedger('.', optionsFor(file)), FOREIGN)
})

t.test(
  'a file that becomes that of another program while a server runs is kept, and failures are in memory',
  async (t) => {
    const dir = t.testdir({})
    const warnings: string[] = []
    const ledger = createLedger(dir, optionsFor('errors.db'), {
      warn: (...of: unknown[]) => warnings.push(String(of.at(-1))),
    })
    t.teardown(() => ledger.close())
    writeFileSync(join(dir, 'errors.db'), readFileSync(createShop(t)))
    t.equal(await ledger.record([entry()]), 'memory')
    t.match(warnings, [/^failures are kept in memory until .* is not a ledger of Hydrant: it is an SQLite database/])
  },
)

t.test('no file, an empty file and an empty database become a ledger', async (t) => {
  const dir = t.testdir({ empty: '' })
  const blank = openDatabase(join(dir, 'blank.db'))
  blank.exec('CREATE TABLE a (b); DROP TABLE a')
  blank.close()
  for (const name of ['none', 'empty', 'blank.db']) {
    await checkLedger(dir, { ledger: name })
    const ledger = createFileLedger(join(dir, name), LIMITS, t.fail)
    await ledger.record([entry()])
    t.strictSame(await ledger.fingerprints(), ['AAAAAAAA'], name)
    await ledger.close()
    await checkLedger(dir, { ledger: name })
  }
})

t.test('a ledger of an older version is accepted, and marked as a ledger', async (t) => {
  const file = join(t.testdir({}), 'errors.db')
  async function record() {
    // The driver closes the file completely when its thread exits.
    const ledger = createThreadLedger({ file, limits: LIMITS }, t.fail)
    await ledger.record([entry()])
    await ledger.close()
  }
  await record()
  const bytes = readFileSync(file)
  t.equal(bytes.toString('latin1', 68, 72), 'Hydr')
  bytes.writeUInt32BE(0, 68)
  writeFileSync(file, bytes)
  await checkLedger('.', { ledger: file })
  await (await openLedger('.', optionsFor(file))).close()
  await record()
  const db = openDatabase(file)
  t.teardown(() => db.close())
  t.equal(db.pragma('application_id', { simple: true }), 0x48796472)
})

t.test(
  'a ledger whose first bytes are damaged is moved aside if its name or the files beside it say what it is',
  async (t) => {
    for (const [name, beside] of [
      ['hydrant-errors.db', []],
      ['.hydrant-dev-errors.db', []],
      ['errors.db', ['errors.db-wal']],
      ['errors.db', ['errors.db-shm']],
    ] as const) {
      const dir = t.testdir({})
      for (const file of [name, ...beside]) writeFileSync(join(dir, file), Buffer.alloc(8_192))
      await checkLedger(dir, { ledger: name })
      const notices: string[] = []
      const ledger = createFileLedger(join(dir, name), LIMITS, (text) => notices.push(text))
      await ledger.record([entry()])
      await ledger.close()
      t.match(notices, [/is damaged: it was moved to/], `${name} ${beside}`)
    }
  },
)

t.test('a ledger that is damaged while a server runs is moved aside, also after its thread has ended', async (t) => {
  const file = join(t.testdir({}), 'errors.db')
  const notices: string[] = []
  const ledger = createThreadLedger({ file, limits: LIMITS }, (text) => notices.push(text), 1)
  t.teardown(() => ledger.close())
  await ledger.record([entry()])
  await until(() => !readdirSync(join(file, '..')).includes('errors.db-wal'))
  writeFileSync(file, Buffer.alloc(8_192))
  await ledger.record([entry()])
  t.match(notices, [/is damaged: it was moved to/])
})

t.test('a folder is refused, and a missing folder is left to those who open the ledger', async (t) => {
  const dir = t.testdir({})
  mkdirSync(join(dir, 'folder'))
  const refused = { ...FOREIGN, message: /is not a ledger of Hydrant: it is a folder$/ }
  await t.rejects(checkLedger(dir, { ledger: 'folder' }), refused)
  await t.rejects(openLedger(dir, optionsFor('folder')), refused)
  rmSync(join(dir, 'folder'), { recursive: true })
  await checkLedger(dir, { ledger: 'folder/errors.db' })
})
