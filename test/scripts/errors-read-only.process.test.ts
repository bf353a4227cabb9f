// Ledgers that are read by a user who may write neither them nor their folder.

import { chmodSync, copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createThreadLedger } from '../../src/server/ledger/ledger-thread.ts'
import { AS_PLAIN_USER } from '../plain-user.ts'
import { entry, LIMITS } from '../server/ledger/entries.ts'
import { type CliResult, runCli } from './run-cli.ts'

const FILE = 'hydrant-errors.db'

/** Creates a folder with an open ledger, and one for temporary files. */
async function createFolders(t: Test) {
  const folder = t.testdir({ site: {}, temporary: {} })
  const dir = join(folder, 'site')
  // As a server does. The driver closes the file completely when its thread exits.
  const ledger = createThreadLedger({ file: join(dir, FILE), limits: LIMITS }, t.fail)
  t.teardown(() => ledger.close())
  await ledger.record([entry()])
  return { dir, temporary: join(folder, 'temporary'), ledger }
}

/** Runs `hydrant errors` without write permission, and checks that nothing was written. */
async function readOnly(t: Test, dir: string, temporary: string): Promise<CliResult> {
  const before = readdirSync(dir)
  setModes(dir, 0o555, 0o444)
  const result = await runAsPlainUser(dir, temporary)
  setModes(dir, 0o755, 0o644)
  t.strictSame(readdirSync(dir), before, 'nothing is made beside it')
  t.strictSame(readdirSync(temporary), [], 'no copy is left')
  return result
}

const runAsPlainUser = (dir: string, temporary: string) =>
  runCli(['errors', dir], { under: AS_PLAIN_USER, env: { TMPDIR: temporary } })

function setModes(dir: string, ofFolder: number, ofFiles: number) {
  for (const name of readdirSync(dir)) chmodSync(join(dir, name), ofFiles)
  chmodSync(dir, ofFolder)
}

t.test('reads a ledger while a server has it open, and after', async (t) => {
  const { dir, temporary, ledger } = await createFolders(t)
  t.match(await readOnly(t, dir, temporary), { code: 0, stdout: /^AAAAAAAA /m })
  await ledger.close()
  t.strictSame(readdirSync(dir), [FILE])
  t.match(await readOnly(t, dir, temporary), { code: 0, stdout: /^AAAAAAAA /m })
})

t.test('reads a ledger with the log of a server that was killed', async (t) => {
  const { dir, temporary } = await createFolders(t)
  const killed = join(dir, '..', 'killed')
  mkdirSync(killed)
  for (const suffix of ['', '-wal']) copyFileSync(join(dir, FILE + suffix), join(killed, FILE + suffix))
  t.match(await readOnly(t, killed, temporary), { code: 0, stdout: /^AAAAAAAA /m })
})

t.test('reports an error if the ledger belongs to other users', async (t) => {
  const { dir, temporary, ledger } = await createFolders(t)
  await ledger.close()
  chmodSync(join(dir, FILE), 0)
  const { code, stderr } = await runAsPlainUser(dir, temporary)
  t.equal(code, 1)
  t.match(
    stderr,
    `Error [HYD_LEDGER_UNREADABLE] the ledger ${join(dir, FILE)} cannot be read: EACCES: permission denied`,
  )
})
