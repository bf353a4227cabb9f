// The tests of a ledger in a file, on `node:sqlite`. The process must not be able to load @photostructure/sqlite.

import { join } from 'node:path'
import t from 'tap'
import { loadDriver } from '../../../src/server/ledger/sqlite/database.ts'
import { openSqliteLedger } from '../../../src/server/ledger/sqlite/sqlite-ledger.ts'
import { testLedger } from './contract.ts'
import { testSqliteErrors } from './sqlite-errors.ts'

const { name, reason, open } = await loadDriver('errors.db')

t.test('the driver says why it is used', async (t) => {
  t.equal(name, 'node:sqlite')
  t.equal(reason, 'refused @photostructure/sqlite')
})

testLedger(t, async (t, limits) => {
  const ledger = await openSqliteLedger(join(t.testdir({}), 'errors.db'), limits)
  t.teardown(() => ledger.close())
  return ledger
})

testSqliteErrors(t, open)
