import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { createThreadLedger } from '../../../src/server/ledger/ledger-thread.ts'
import { openSqliteLedger } from '../../../src/server/ledger/sqlite/sqlite-ledger.ts'
import { until } from '../../until.ts'
import { entry, LIMITS } from './entries.ts'

const run = promisify(execFile)
const newFile = (t: Test) => join(t.testdir({}), 'errors.db')

/** Runs a program that has a ledger in a thread, to its end. */
async function runProgram(file: string, program: string): Promise<string> {
  const start = `
    import { createThreadLedger } from './dist/src/server/ledger/ledger-thread.js'
    import { entry, LIMITS } from './dist/test/server/ledger/entries.js'
    const ledger = createThreadLedger({ file: ${JSON.stringify(file)}, limits: LIMITS }, console.log)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', start + program])
  return stdout
}

t.test('a thread keeps its process running until it has replied, and no longer', async (t) => {
  const file = newFile(t)
  await runProgram(
    file,
    "\nvoid ledger.record([entry()]).then(() => ledger.record([entry({ fingerprint: 'BBBBBBBB' })]))",
  )
  const ledger = await openSqliteLedger(file, LIMITS)
  t.teardown(() => ledger.close())
  t.strictSame((await ledger.fingerprints()).sort(), ['AAAAAAAA', 'BBBBBBBB'])
})

t.test('no thread is started for an unused ledger', async (t) => {
  const program = "\nawait ledger.close(); console.log(process.getActiveResourcesInfo().includes('MessagePort'))"
  t.equal(await runProgram(newFile(t), program), 'false\n')
})

t.test('a thread that has nothing to do ends, and the next call starts another one', async (t) => {
  const file = newFile(t)
  const ledger = createThreadLedger({ file, limits: LIMITS }, t.fail, 1)
  t.teardown(() => ledger.close())
  for (const fingerprint of ['AAAAAAAA', 'BBBBBBBB']) {
    await ledger.record([entry({ fingerprint })])
    // SQLite removes the log when the last connection to the file is closed.
    await until(() => !existsSync(`${file}-wal`))
  }
  t.strictSame((await ledger.fingerprints()).sort(), ['AAAAAAAA', 'BBBBBBBB'])
})

t.test('errors arrive with their code and their fix', async (t) => {
  const ledger = createThreadLedger({ file: '/proc/none/errors.db', limits: LIMITS }, t.fail)
  t.teardown(() => ledger.close())
  await t.rejects(ledger.record([entry()]), {
    name: 'HydrantError',
    code: 'HYD_LEDGER_UNWRITABLE',
    message: /^the ledger \/proc\/none\/errors\.db cannot be written: ENOENT/,
    fix: /^Make its folder writable/,
    stack: /^HydrantError: the ledger \/proc/,
  })
})

t.test('a process that exits while its thread writes has the status that it chose', async (t) => {
  const file = newFile(t)
  const program = `
    await ledger.record([entry()])
    const batch = Array.from({ length: 200 }, (_, index) => entry({ fingerprint: String(10_000_000 + index) }))
    const write = () => ledger.record(batch).then(write)
    for (let count = 0; count < 3; count++) void write()
    setTimeout(() => process.exit(7), 100)`
  for (let round = 0; round < 8; round++)
    await t.rejects(runProgram(file, program), { code: 7, signal: null, stderr: '' })
  const ledger = await openSqliteLedger(file, LIMITS)
  t.teardown(() => ledger.close())
  t.equal(new Set((await ledger.list({ search: '100000' })).map(({ count }) => count)).size, 1, 'whole batches')
})

t.test('a thread that dies rejects the pending calls, and is started again', async (t) => {
  // More than the heap of the thread: it exits while it reads the message.
  const program = `
    await ledger.record([entry()])
    const huge = Array.from({ length: 400 }, (_, index) => String(index).padEnd(1_000_000))
    const told = await Promise.allSettled([ledger.record(huge), ledger.fingerprints()])
    console.log(told.map(({ reason }) => reason?.code).join(' '))
    console.log(...(await ledger.fingerprints()))`
  const stdout = await runProgram(newFile(t), program)
  t.equal(stdout, 'HYD_LEDGER_THREAD HYD_LEDGER_THREAD\nAAAAAAAA\n')
})
