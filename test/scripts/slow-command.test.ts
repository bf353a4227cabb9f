import { join } from 'node:path'
import t from 'tap'
import { failure, writeLedger } from './failed-ledger.ts'
import { runHere } from './run-here.ts'

const dir = t.testdir({})
await writeLedger(dir, failure({ time: Date.now() }))

t.test('reads the ledger of a site, or another one', async (t) => {
  const file = join(dir, 'hydrant-errors.db')
  for (const args of [[dir], ['--ledger', file]])
    t.match(await runHere(['slow', ...args]), {
      code: 0,
      stdout: /^No request was measured since [^\n]* Ledger: .*hydrant-errors\.db\nVisit a page of the site: /,
      stderr: '',
    })
  const flags = ['--ledger', '--since', '--route', '--limit']
  const empty = await runHere(['slow', dir, '--json', ...flags.flatMap((flag) => [flag, ''])])
  t.match(JSON.parse(empty.stdout), { requests: 0, routes: [] }, 'an empty flag counts as not set')
})

t.test('ends with 1 without a ledger, and for an unknown request', async (t) => {
  const none = t.testdir({})
  const writes =
    'visitors, "hydrant start" writes times every 30 s, unless "admin" is false; an app does with "hydrant.admin" only.'
  const missing = await runHere(['slow', none])
  t.match(missing, { code: 1, stdout: '', stderr: 'Error [HYD_LEDGER_MISSING] there is no ledger at ' })
  t.match(missing.stderr, writes)
  const off = await runHere(['slow', dir], { HYDRANT_LEDGER: 'false' })
  t.match(off, { code: 1, stderr: /^Error \[HYD_LEDGER_OFF\] .*\nTry: Set "ledger" to a file/ })
  t.match(await runHere(['slow', '8MZ2K0QV-3', dir]), {
    code: 1,
    stdout: '',
    stderr:
      /^Error \[HYD_REQUEST_UNKNOWN\] the ledger .* has no times of the request 8MZ2K0QV-3\nTry: Run "hydrant slow/,
  })
})

t.test('reads ids that look like flags or paths', async (t) => {
  for (const [args, id] of [
    [['--', '--json', dir], '--json'],
    [['--ledger', join(dir, 'hydrant-errors.db'), '--', '-rf'], '-rf'],
    [['edge/7', dir], 'edge/7'],
  ] as const)
    t.match(await runHere(['slow', ...args]), { code: 1, stdout: '', stderr: ` has no times of the request ${id}\n` })
})

t.test('ends with 2 when it is misused', async (t) => {
  const misused = async (args: string[], stderr: string) =>
    t.match(await runHere(['slow', ...args]), { code: 2, stdout: '', stderr: `Error [${stderr}` }, args.join(' '))
  await misused(['--since', '2d'], 'HYD_CLI_USAGE] --since must be like 10m')
  await misused(['8MZ2K0QV-3', 'no-such-folder'], 'HYD_CLI_DIR] "no-such-folder" is not a folder')
  await misused(['--dev'], "HYD_CLI_USAGE] unknown option '--dev'")
  await misused(['--rout', '/'], "HYD_CLI_USAGE] unknown option '--rout' (Did you mean --route?)")
})
