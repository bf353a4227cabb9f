import { join } from 'node:path'
import t from 'tap'
import { createThreadLedger } from '../../../src/server/ledger/ledger-thread.ts'
import { createMemoryLedger } from '../../../src/server/ledger/memory-ledger.ts'
import { createPostgresLedger } from '../../../src/server/ledger/postgres/postgres-ledger.ts'
import { openSqliteLedger } from '../../../src/server/ledger/sqlite/sqlite-ledger.ts'
import { startPostgres } from '../../postgres.ts'
import { testLedger } from './contract.ts'
import type { CreateLedger } from './entries.ts'

const postgres = startPostgres(t)
let databases = 0

const noNotice = (text: string) => {
  throw new Error(text)
}

const STORES: Record<string, CreateLedger> = {
  memory: async (_t, limits) => createMemoryLedger(limits),
  'SQLite in this thread': (t, limits) => openSqliteLedger(join(t.testdir({}), 'errors.db'), limits),
  'SQLite in its own thread': async (t, limits) =>
    createThreadLedger({ file: join(t.testdir({}), 'errors.db'), limits }, noNotice),
  PostgreSQL: async (_t, limits) => createPostgresLedger(postgres.createDatabase(`contract${++databases}`), limits),
}

for (const [store, createLedger] of Object.entries(STORES)) {
  t.test(store, async (t) => {
    testLedger(t, async (t, limits) => {
      const ledger = await createLedger(t, limits)
      t.teardown(() => ledger.close())
      return ledger
    })
  })
}
