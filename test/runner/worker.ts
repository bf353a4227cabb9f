// The process in which test files run, one after the other. It gets their paths from `pool.ts`, and sends the results.

import { register } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Test, TestOpts } from 'tap'
import { endKept, keepPrograms } from './kept.ts'
import { END, type Report } from './messages.ts'
import { patienceOf } from './tiers.ts'

const LEFT_RUNNING = 4

// tap's own test of the process contains none of the files, and must not time out.
process.env.TAP_TIMEOUT = '0'
register('./tap-hooks.js', import.meta.url)
const { Test: TapTest, startTest } = await import('./tap.ts')
// Libraries that each server loads listen to signals until the process ends.
process.setMaxListeners(0)
// The environment of a test is that of the command.
delete process.env.TAP_TIMEOUT

process.on('message', async (file: string) => {
  if (file !== END) return void process.send?.(await runFile(file))
  await endKept()
  // Then the process ends by itself, unless a file has left something running.
  process.disconnect()
})
// The end, or the command was killed. A process that then still runs has failed.
process.on('disconnect', () => {
  setTimeout(() => process.exit(LEFT_RUNNING), 10_000).unref()
  void endKept()
})
keepPrograms()

let running: Test | null = null
// tap's own listener gives them to the test of the process. The tests of a file run one after the other.
process.on('uncaughtException', (error) => {
  if (running === null) throw error
  innermostOf(running).threw(error)
})

function innermostOf(test: Pick<Test, 'activeSubtests' | 'threw'>): typeof test {
  const inner = [...test.activeSubtests].at(-1)
  return inner && 'activeSubtests' in inner ? innermostOf(inner as Test) : test
}

async function runFile(file: string): Promise<Report> {
  // tap derives the names of folders from it.
  process.argv[1] = resolve(file)
  let tap = ''
  const options: TestOpts = {
    name: 'TAP',
    timeout: patienceOf(file),
    cb: async () => {
      await import(pathToFileURL(resolve(file)).href)
    },
  }
  const test = new TapTest(options)
  startTest(test)
  running = test
  test.on('data', (text: string | Buffer) => {
    tap += String(text)
  })
  const env = { ...process.env }
  await new Promise<void>((done) => test.runMain(done))
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  return { passed: test.counts.pass, tap }
}
