// The test command. After the compiler it runs the linter, builds the project's site, and runs all test files, or those
// that the arguments name. `--coverage` also reports which lines of src/ have run.

import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { writeFastModules } from './fast-modules.ts'
import { type Outcome, runFile } from './run-file.ts'
import { listTests, usesTools } from './test-files.ts'
import { installTools } from './tools.ts'

const LEAST_COVERAGE = 90
const COVERAGE = '.build/coverage'
const FIXTURES = '.tap/fixtures'
/** The number of files that run at the same time: two more than processors, because files often wait for deadlines and servers. */
const JOBS = availableParallelism() + 2

const words = process.argv.slice(2)
const isMeasured = words.includes('--coverage')
const only = words.filter((word) => word !== '--coverage')

process.env.NODE_ENV = 'production'
// tap removes a test's folder before it calls the teardown that stops the servers which write there.
process.env.TAP_SAVE_FIXTURE = '1'
rmSync(FIXTURES, { recursive: true, force: true })

const failures: string[] = []
let passed = 0
await writeFastModules()
// Installing takes a minute on a fresh machine. The files that use none of the tools run meanwhile.
const tools = installTools()
if (only.length === 0) {
  // One after the other: the linter fails when a folder vanishes while it lists the files.
  await step('biome', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'])
  await step('hydrant build site', ['dist/scripts/cli.js', 'build', 'site'])
}
if (isMeasured) {
  rmSync(COVERAGE, { recursive: true, force: true })
  mkdirSync(COVERAGE, { recursive: true })
  process.env.NODE_V8_COVERAGE = COVERAGE
}
await runAll(only.length > 0 ? only : listTests())
delete process.env.NODE_V8_COVERAGE
if (isMeasured) await step('coverage', coverageCommand())

rmSync(FIXTURES, { recursive: true, force: true })
// Repeats the failures, because other files' output follows them above.
for (const failure of failures) console.log(`\nnot ok: ${failure}`)
console.log(`${passed} passed, ${failures.length} failed`)
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1

/** Runs the files in their order, `JOBS` at a time. Those that use tools wait until the tools are installed. */
async function runAll(files: readonly string[]) {
  const queue = [...files]
  const late = new Set(files.filter((file) => usesTools(file)))
  const installed = tools.then(() => late.clear())
  async function work(job: number) {
    // The installation keeps a processor busy.
    if (job === 0) await installed
    while (queue.length > 0) {
      const index = queue.findIndex((file) => !late.has(file))
      if (index === -1) await installed
      else for (const file of queue.splice(index, 1)) await run(file)
    }
  }
  await Promise.all([installed, ...Array.from({ length: JOBS }, (_, job) => work(job))])
}

async function run(file: string) {
  const outcome = await runFile(file)
  passed += outcome.passed
  failures.push(...outcome.failures.map((failure) => `${file} › ${failure}`))
  report(file, outcome)
}

/** Prints what a file wrote only when something in it failed. */
function report(file: string, { passed, failures, output, seconds }: Outcome) {
  if (failures.length > 0) console.log(output)
  console.log(`${failures.length > 0 ? 'not ok' : 'ok'} ${file} (${passed}, ${seconds.toFixed(1)} s)`)
}

async function step(name: string, words: string[]) {
  console.log(`— ${name}`)
  const child = spawn(process.execPath, words, { stdio: 'inherit' })
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0) failures.push(name)
}

function coverageCommand(): string[] {
  // A run of some tests does not reach all of src/.
  const thresholds = [
    ...(only.length === 0 ? ['--check-coverage'] : []),
    `--lines=${LEAST_COVERAGE}`,
    '--functions=0',
    '--branches=0',
    '--statements=0',
  ]
  const files = [
    '--include=src/**',
    '--exclude-after-remap',
    '--reporter=text-summary',
    '--reports-dir=.build/coverage-report',
  ]
  return ['node_modules/c8/bin/c8.js', 'report', `--temp-directory=${COVERAGE}`, ...files, ...thresholds]
}
