// What `npm test` runs, after the compiler: the linter, and the tests over what was built. With `--coverage`, what
// `npm run coverage` runs: the same, and what of src/ has run meanwhile.

import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { type Outcome, runFile } from './run-file.ts'
import { installTools } from './tools.ts'

const LEAST_COVERAGE = 90
const COVERAGE = '.build/coverage'
const FIXTURES = '.tap/fixtures'
/** Files that run at the same time. */
const JOBS = 2

const words = process.argv.slice(2)
const isMeasured = words.includes('--coverage')
const only = words.filter((word) => word !== '--coverage')
const files = only.length > 0 ? only : findTests()

process.env.NODE_ENV = 'production'
// Tap removes a test's folder before it calls what ends the servers that write there.
process.env.TAP_SAVE_FIXTURE = '1'
installTools()
rmSync(FIXTURES, { recursive: true, force: true })

const failures: string[] = []
let passed = 0
if (only.length === 0) {
  await step('biome', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'])
  await step('hydrant build site', ['dist/scripts/cli.js', 'build', 'site'])
}
if (isMeasured) {
  rmSync(COVERAGE, { recursive: true, force: true })
  mkdirSync(COVERAGE, { recursive: true })
  process.env.NODE_V8_COVERAGE = COVERAGE
}
const waiting = files.values()
await Promise.all(Array.from({ length: JOBS }, runWaiting))
delete process.env.NODE_V8_COVERAGE
if (isMeasured) await step('coverage', coverageCommand())

rmSync(FIXTURES, { recursive: true, force: true })
// Once more, at the end: above, they stand far away from it.
for (const failure of failures) console.log(`\nnot ok: ${failure}`)
console.log(`${passed} passed, ${failures.length} failed`)
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1

async function runWaiting() {
  for (const file of waiting) {
    const outcome = await runFile(file)
    passed += outcome.passed
    failures.push(...outcome.failures.map((failure) => `${file} › ${failure}`))
    tell(file, outcome)
  }
}

/** What a file has written is of use when something in it failed. */
function tell(file: string, { passed, failures, output, seconds }: Outcome) {
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

function findTests(): string[] {
  const all = readdirSync('dist/test', { recursive: true, encoding: 'utf8' })
  return all.filter((file) => file.endsWith('.test.js')).map((file) => `dist/test/${file}`)
}

function coverageCommand(): string[] {
  // Some of the tests cannot reach all of it.
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
