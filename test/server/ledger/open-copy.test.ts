// Windows removes no file that a process has open.

import fs, { mkdirSync, readdirSync, statSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createThreadLedger } from '../../../src/server/ledger/ledger-thread.ts'
import { openSqliteReader } from '../../../src/server/ledger/sqlite/open-file.ts'
import { entry, LIMITS } from './entries.ts'

/** Makes the removal of folders fail, as Windows does while the driver has a file open. */
function failRemoval(t: Test) {
  const { rmSync } = fs
  fs.rmSync = () => {
    throw Object.assign(new Error('EBUSY: resource busy or locked'), { code: 'EBUSY' })
  }
  syncBuiltinESMExports()
  t.teardown(() => {
    fs.rmSync = rmSync
    syncBuiltinESMExports()
  })
}

t.test('the copy of a ledger is emptied if it cannot be removed', async (t) => {
  const temporary = join(t.testdir({}), 'temporary')
  mkdirSync(temporary)
  const file = join(t.testdirName, 'errors.db')
  // The driver closes the file completely when its thread exits.
  const ledger = createThreadLedger({ file, limits: LIMITS }, t.fail)
  await ledger.record([entry()])
  await ledger.close()
  const { TMPDIR } = process.env
  process.env.TMPDIR = temporary
  t.teardown(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })
  const { db, close } = await openSqliteReader(file)
  t.equal(db.prepare<[], number>('SELECT count(*) FROM failures').pluck().get(), 1)
  failRemoval(t)
  close()
  const [folder = ''] = readdirSync(temporary)
  const names = readdirSync(join(temporary, folder)).filter((name) => !name.endsWith('-shm'))
  t.ok(names.includes('copy.db'))
  for (const name of names) t.equal(statSync(join(temporary, folder, name)).size, 0, name)
})
