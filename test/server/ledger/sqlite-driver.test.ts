import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { readError, toSqliteError } from '../../../src/server/ledger/sqlite/sqlite-error.ts'
import { openDatabase } from './open-database.ts'

const BUILT = join(import.meta.dirname, '../../../src')

/** Returns the result of loading the driver, from a copy of the build, next to the packages of that folder. */
function load(folder: string): string {
  cpSync(BUILT, join(folder, 'src'), { recursive: true })
  const url = pathToFileURL(join(folder, 'src/server/ledger/sqlite/driver.js'))
  const program = `import { loadDriver } from '${url}'
    await loadDriver('a.db').then(() => console.log('loaded'), ({ message, fix }) => console.log(message, fix))`
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }).trim()
}

t.test('names the missing binary of a machine for which the package has none', async (t) => {
  const folder = t.testdir({ 'package.json': '{"type":"module"}' })
  // The package without its binaries.
  cpSync('node_modules/@photostructure/sqlite', join(folder, 'node_modules/@photostructure/sqlite'), {
    recursive: true,
    filter: (path) => !/sqlite\/(?:prebuilds|build)$/.test(path),
  })
  cpSync('node_modules/node-gyp-build', join(folder, 'node_modules/node-gyp-build'), { recursive: true })
  t.match(
    load(folder),
    /^the ledger a\.db needs the package @photostructure\/sqlite, which cannot be loaded: No native build was found for platform=\S+ arch=[^\n]+ Run "npm install @photostructure\/sqlite", or "npm rebuild/,
  )
})

t.test('distinguishes the errors of SQLite', async (t) => {
  const folder = t.testdir({ 'none.db': 'no database'.repeat(1_000), folder: {} })
  const codeOf = (work: () => unknown) => {
    try {
      work()
      return 'no error'
    } catch (error) {
      return readError(error).code
    }
  }
  const file = join(folder, 'a.db')
  const db = openDatabase(file)
  t.teardown(() => db.close())
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE a (b)')
  const reader = openDatabase(file, { readOnly: true })
  t.teardown(() => reader.close())
  const other = openDatabase(file)
  t.teardown(() => other.close())
  t.equal(
    codeOf(() => openDatabase(join(folder, 'none.db')).pragma('user_version')),
    'SQLITE_NOTADB',
  )
  t.equal(
    codeOf(() => openDatabase(join(folder, 'folder'))),
    'SQLITE_CANTOPEN',
  )
  t.equal(
    codeOf(() => reader.exec('DROP TABLE a')),
    'SQLITE_READONLY',
  )
  t.equal(
    codeOf(() => reader.pragma('user_version = 7')),
    'SQLITE_READONLY',
  )
  t.equal(
    codeOf(() => reader.prepare('SELECT c FROM a')),
    'SQLITE_ERROR',
  )
  const rows = other.prepare('SELECT * FROM a')
  db.exec('DROP TABLE a; BEGIN IMMEDIATE')
  t.equal(
    codeOf(() => rows.all()),
    'SQLITE_ERROR',
  )
  t.equal(
    codeOf(() => other.exec('CREATE TABLE c (d)')),
    'SQLITE_BUSY',
  )
  t.equal(
    codeOf(() => other.pragma('user_version = 7')),
    'SQLITE_BUSY',
  )
  t.equal(
    codeOf(() => mkdirSync(folder)),
    'EEXIST',
  )
  t.strictSame(readError('no error'), { code: '', message: 'no error' })
})

t.test('recognises damage in the errors of each version of the driver', async (t) => {
  const file = join(t.testdir({}), 'a.db')
  const db = openDatabase(file)
  db.exec('CREATE TABLE a (b)')
  const insert = db.prepare('INSERT INTO a VALUES (?)')
  for (let number = 0; number < 200; number++) insert.run('x'.repeat(500))
  db.close()
  damage(file)
  const read = openDatabase(file)
  t.teardown(() => read.close())
  for (const work of [
    () => read.prepare('SELECT * FROM a').all(),
    () => read.prepare('SELECT sum(length(b)) FROM a').get(),
    () => read.exec('UPDATE a SET b = 1'),
  ])
    t.throws(
      () => {
        try {
          work()
        } catch (error) {
          throw toSqliteError(file, error)
        }
      },
      { code: 'HYD_LEDGER_DAMAGED', message: /database disk image is malformed/ },
    )
})

/** Overwrites all pages but the first, which has the schema. */
function damage(file: string) {
  const bytes = readFileSync(file).fill(0xff, 4_096)
  writeFileSync(file, bytes)
}
