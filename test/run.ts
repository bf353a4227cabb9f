// What `npm test` runs, after the compiler: the linter, and the tests over what was built. With `--coverage`, what
// `npm run coverage` runs: the same, and what of src/ has run meanwhile.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { listFailed } from './failed.ts'
import { installTools } from './tools.ts'

const LEAST_COVERAGE = 90
const COVERAGE = '.build/coverage'
const TAP = 'node_modules/tap/dist/esm/run.mjs'
const TAP_OUTPUT = '.build/tap.txt'

const FIXTURES = '.tap/fixtures'

const words = process.argv.slice(2)
const isMeasured = words.includes('--coverage')
const only = words.filter((word) => word !== '--coverage')
const files = only.length > 0 ? only : findTests()

process.env.NODE_ENV = 'production'
// Tap removes a test's folder before it calls what ends the servers that write there.
process.env.TAP_SAVE_FIXTURE = '1'
installTools()
mkdirSync('.build', { recursive: true })
rmSync(FIXTURES, { recursive: true, force: true })

const failures: string[] = []
if (only.length === 0) {
  await step('biome', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'])
  await step('hydrant build site', ['dist/scripts/cli.js', 'build', 'site'])
}
// Tap's own compiler plugin knows no TypeScript 7, and the tests come compiled: leave it out, once for this checkout.
if (!existsSync('.tap/plugins')) await step('tap build', [TAP, 'build'])
const run = [TAP, `--output-file=${TAP_OUTPUT}`, '--jobs=2', '--reporter=terse', ...files]
if (isMeasured) await measure(run)
else await step('tap', run)

rmSync(FIXTURES, { recursive: true, force: true })
const tap = existsSync(TAP_OUTPUT) ? readFileSync(TAP_OUTPUT, 'utf8') : ''
const { passed, failed } = countResults(tap)
// Once more, at the end: above, they stand far away from it.
for (const one of listFailed(tap)) console.log(`\nnot ok: ${one}`)
for (const failure of failures) console.log(`${failure} failed`)
// A linter or a coverage that fails is a failure as well; a failing tap has been counted.
const others = failures.filter((name) => name !== 'tap' || failed === 0).length
console.log(`${passed} passed, ${failed + others} failed`)
process.exitCode = failed + others === 0 && passed > 0 ? 0 : 1

async function step(name: string, words: string[], env: Record<string, string> = {}) {
  console.log(`— ${name}`)
  const child = spawn(process.execPath, words, { stdio: 'inherit', env: { ...process.env, ...env } })
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0) failures.push(name)
}

async function measure(run: string[]) {
  rmSync(COVERAGE, { recursive: true, force: true })
  mkdirSync(COVERAGE, { recursive: true })
  await step('tap', run, { NODE_V8_COVERAGE: COVERAGE })
  await step('coverage', coverageCommand())
}

// Named one by one: tap leaves out what lies in a folder called dist.
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

/** Counts the assertions, wherever they are nested; a line for a subtest only repeats what is inside. */
function countResults(tap: string): { passed: number; failed: number } {
  const counted = /^# \{ total: (\d+)(?:, pass: (\d+))?(?:, fail: (\d+))?/m.exec(tap)
  if (!counted) return { passed: 0, failed: 1 }
  return { passed: Number(counted[2] ?? 0), failed: Number(counted[3] ?? 0) }
}
