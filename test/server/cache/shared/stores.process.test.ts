import t from 'tap'
import { startPostgres } from '../../../postgres.ts'
import { startRedis } from '../../../redis.ts'
import { type CreateStore, testSharedStore } from './contract.ts'
import { openInMemory, openInPostgres, openInValkey } from './stores.ts'

const postgres = startPostgres(t)
const redis = await startRedis(t, '--databases', '64')
let databases = 0

const STORES: Record<string, CreateStore> = {
  'the memory of another process': openInMemory,
  PostgreSQL: (...limits) => openInPostgres(postgres.createDatabase(`cache${++databases}`), ...limits),
  Redis: (...limits) => openInValkey(redis.nextDatabase(), ...limits),
}

for (const [name, create] of Object.entries(STORES)) {
  t.test(name, async (t) => testSharedStore(t, create))
}
