// Runs the test files that the arguments name, one after the other, in this process. Node.js, tap, Fastify and React
// start once for all of them. It writes the TAP of each file between two comments. `run-files.ts` reads it.

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TestOpts } from 'tap'
import { startTest } from './current-test.ts'
import { endKept, keepPrograms } from './kept.ts'
import { importsOf } from './test-files.ts'
import { createOutput, formatEnd, formatStart } from './together-output.ts'

/** How long the process may run after its last file. */
const GRACE_MS = 30_000
const LEFT_RUNNING = 4

// A test finds the arguments that it has in a process of its own.
const files = process.argv.splice(2)
const patience = Number(process.env.TAP_TIMEOUT)
// tap's own test of the process contains none of the files, and must not time out.
process.env.TAP_TIMEOUT = '0'
const { Test } = await import('tap')
process.env.TAP_TIMEOUT = String(patience)
// Libraries that each server loads listen to signals until the process ends.
process.setMaxListeners(0)
keepPrograms()
const output = createOutput()

// It replaces a function that the build keeps when it is loaded.
if (files.some((file) => importsOf(file).includes('dist/test/shared-compression.js')))
  await import('./shared-compression.ts')
for (const file of files) {
  const startedAt = Date.now()
  output.write(formatStart(file))
  const { total, pass } = await run(file)
  // tap itself writes the numbers only for the test of a process.
  output.write(`# { total: ${total}, pass: ${pass} }\n${formatEnd(file, Date.now() - startedAt)}`)
}
await endKept()
// Then the process ends by itself, as the process of one file does, unless a file has left something running.
setTimeout(() => process.exit(LEFT_RUNNING), GRACE_MS).unref()

/** Runs a file, and resolves with the numbers of its assertions. */
async function run(file: string) {
  // tap derives the names of folders from it.
  process.argv[1] = resolve(file)
  const options: TestOpts = {
    name: 'TAP',
    timeout: patience * 1000,
    cb: async () => {
      await import(pathToFileURL(resolve(file)).href)
    },
  }
  const test = new Test(options)
  startTest(test)
  test.on('data', (text: string | Buffer) => output.write(String(text)))
  const env = { ...process.env }
  await new Promise<void>((done) => test.runMain(done))
  restoreEnv(env)
  return test.counts
}

function restoreEnv(before: NodeJS.ProcessEnv) {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
}
