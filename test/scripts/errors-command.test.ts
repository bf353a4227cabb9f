import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'
import { failure, writeLedger } from './failed-ledger.ts'
import { runHere } from './run-here.ts'

const FILE = 'hydrant-errors.db'

const failed = t.testdir({})
await writeLedger(failed, failure({ time: Date.now() }))

t.test('reads the ledger that the configuration or the environment names, and a copy', async (t) => {
  const dir = createSite(t, { 'hydrant.config.ts': "export default { ledger: 'kept/failures.db' }\n" })
  await buildSharing({ dir })
  const none = await runHere(['errors', dir])
  t.match(none, {
    code: 1,
    stdout: '',
    stderr: `Error [HYD_LEDGER_MISSING] there is no ledger at ${join(dir, 'kept/failures.db')}\nTry: `,
  })
  const file = join(failed, FILE)
  const ofEnvironment = await runHere(['errors', dir], { HYDRANT_LEDGER: file })
  t.match(ofEnvironment, { code: 0, stdout: /^7F3KQ2M9 /m })
  copyFileSync(file, join(dir, 'copy.db'))
  const ofCopy = await runHere(['errors', '7F3KQ2M9-K4D2P1', '--ledger', join(dir, 'copy.db')])
  t.match(ofCopy, { code: 0, stdout: 'This occurrence: 7F3KQ2M9-K4D2P1' })
  const off = await runHere(['errors', dir], { HYDRANT_LEDGER: 'false' })
  t.match(off, { code: 1, stderr: 'Error [HYD_LEDGER_OFF] the site in ' })
})

t.test('an empty flag counts as not set', async (t) => {
  const flags = ['--ledger', '--since', '--side', '--route', '--release', '--sort', '--limit']
  // The text says how long ago a failure occurred.
  const listed = await runHere(['errors', failed, '--json', ...flags.flatMap((flag) => [flag, ''])])
  t.strictSame(listed, await runHere(['errors', failed, '--json']))
  t.equal(listed.code, 0)
})

t.test('creates no ledger if there is none', async (t) => {
  const dir = t.testdir({})
  t.match(await runHere(['errors', dir]), { code: 1, stderr: `there is no ledger at ${join(dir, FILE)}` })
  t.notOk(existsSync(join(dir, FILE)))
})

t.test('ends with 1 for an unknown digest, and names the nearest', async (t) => {
  t.match(await runHere(['errors', '7F3KQ2M8', failed]), {
    code: 1,
    stdout: '',
    stderr: /^Error \[HYD_DIGEST_UNKNOWN\] the ledger .* has no failure 7F3KQ2M8; the nearest: 7F3KQ2M9\nTry: /,
  })
})

t.test('ends with 2 when it is misused', async (t) => {
  const misused = async (args: string[], stderr: string) =>
    t.match(await runHere(['errors', ...args]), { code: 2, stdout: '', stderr: `Error [${stderr}` }, args.join(' '))
  await misused(['no-such-folder'], 'HYD_CLI_USAGE] "no-such-folder" is neither a digest')
  await misused(['7F3KQ2M9', 'no-such-folder'], 'HYD_CLI_DIR] "no-such-folder" is not a folder')
  await misused(['--since', 'monday'], 'HYD_CLI_USAGE] --since must be like 30m')
  await misused(['--sort', 'time'], 'HYD_CLI_USAGE] --sort must be last, first or count; got "time"')
  await misused(['--new'], 'HYD_CLI_USAGE] --new needs --release, because there is no build')
  await misused(['--sid', 'client'], "HYD_CLI_USAGE] unknown option '--sid' (Did you mean --side?)")
})

t.test('has colors when they are requested, and none in a pipe', async (t) => {
  const color = '\u001b['
  const colored = async (env: Record<string, string>) =>
    (await runHere(['errors', '7F3KQ2M9', failed], { FORCE_COLOR: '0', NO_COLOR: '', ...env })).stdout.includes(color)
  t.notOk(await colored({}))
  t.ok(await colored({ FORCE_COLOR: '1' }))
  t.ok(await colored({ FORCE_COLOR: '1', NO_COLOR: '1' }), 'as Node does it')
})
