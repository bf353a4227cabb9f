// The tests of a ledger in a file, on `node:sqlite`, which the Node.js of the process has.

import { join } from 'node:path'
import t from 'tap'
import { loadDriver } from '../../../src/server/ledger/sqlite/database.ts'
import { openSqliteLedger } from '../../../src/server/ledger/sqlite/sqlite-ledger.ts'
import { testLedger } from './contract.ts'
import { testSqliteErrors } from './sqlite-errors.ts'

const { name, open } = await loadDriver('errors.db')

process.emitWarning('a later warning')

t.test('Node.js has the driver', async (t) => t.equal(name, 'node:sqlite'))

testLedger(t, async (t, limits) => {
  const ledger = await openSqliteLedger(join(t.testdir({}), 'errors.db'), limits)
  t.teardown(() => ledger.close())
  return ledger
})

testSqliteErrors(t, open)
