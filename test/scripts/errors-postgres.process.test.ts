import pg from 'pg'
import t from 'tap'
import { toEntry } from '../../src/server/ledger/entries.ts'
import { createLedger } from '../../src/server/ledger/open-ledger.ts'
import { resolveOptions } from '../../src/server/options/resolve-options.ts'
import { placeOf } from '../../src/server/util/postgres.ts'
import { startPostgres } from '../postgres.ts'
import { failure } from './failed-ledger.ts'
import { runCli } from './run-cli.ts'
import { runHere } from './run-here.ts'

const postgres = startPostgres(t)

t.test('reads a ledger in PostgreSQL, exits, and never prints its password', async (t) => {
  // The URL contains a password.
  const url = postgres.createDatabase('shop')
  const ledger = createLedger('.', resolveOptions({ given: { ledger: url } }), console)
  await ledger.record([toEntry(failure({ time: Date.now() }))])
  await ledger.close()
  for (const [args, env] of [
    [[], { HYDRANT_LEDGER: url }],
    [['--ledger', url], {}],
  ] as const) {
    const dir = t.testdir({})
    const list = await runCli(['errors', dir, ...args], { env })
    t.match(list, { code: 0, stderr: '', stdout: /^7F3KQ2M9 /m })
    t.match(list.stdout, `Ledger: ${placeOf(url)}`)
    const one = await runHere(['errors', '7F3KQ2M9-K4D2P1', dir, ...args], env)
    t.match(one, { code: 0, stdout: 'This occurrence: 7F3KQ2M9-K4D2P1' })
    const unknown = await runHere(['errors', '7F3KQ2M8', dir, ...args], env)
    t.match(unknown, { code: 1, stderr: 'has no failure 7F3KQ2M8; the nearest: 7F3KQ2M9' })
    t.notMatch(list.stdout + one.stdout + unknown.stderr, 'a-password')
  }
})

t.test('a command does not create a ledger in a database that has none', async (t) => {
  const url = postgres.createDatabase('empty')
  const { code, stdout, stderr } = await runCli(['errors', t.testdir({}), '--ledger', url])
  t.match({ code, stdout }, { code: 1, stdout: '' })
  t.match(stderr, `Error [HYD_LEDGER_MISSING] there is no ledger at ${placeOf(url)}\nTry: `)
  t.notMatch(stderr, 'a-password')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
  await client.end()
  t.strictSame(rows, [])
})
