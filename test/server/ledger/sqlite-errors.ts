// The errors of a driver of SQLite.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type Database, readError, toSqliteError } from '../../../src/server/ledger/sqlite/database.ts'

type OpenDatabase = (file: string, options?: { readOnly?: boolean }) => Database

/** Adds the tests that the databases of each driver must pass. */
export function testSqliteErrors(t: Test, openDatabase: OpenDatabase) {
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

  t.test('recognizes damage', async (t) => {
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
}

/** Overwrites all pages but the first, which has the schema. */
function damage(file: string) {
  const bytes = readFileSync(file).fill(0xff, 4_096)
  writeFileSync(file, bytes)
}
