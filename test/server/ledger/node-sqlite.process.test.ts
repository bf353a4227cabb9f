// The ledger on `node:sqlite`, in the first version of Node.js that has it without a flag.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { fetchNode } from '../../node-version.ts'

const run = promisify(execFile)
const NODE = '22.13.0'

t.test(`the contract of ledgers holds on Node.js ${NODE}`, async (t) => {
  const { stdout, stderr } = await run(await fetchNode(NODE), ['dist/test/server/ledger/node-sqlite-program.js']).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  const [, total, passed] = /^# \{ total: (\d+), pass: (\d+)/m.exec(stdout) ?? []
  t.ok(Number(total) > 100)
  t.equal(passed, total, 'all passed', { stdout })
  t.notMatch(stderr, 'SQLite is an experimental feature')
  t.match(stderr, 'a later warning')
})
