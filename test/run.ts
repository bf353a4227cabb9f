// The test command, see CONTRIBUTING.md. Without arguments it runs the linter, builds the project's site, and runs the
// tests that need neither proxies nor databases nor packages.
//
//   --all      also runs all others, which install what they need, and the first ones with other versions of Node.js
//   --rest     runs only those others, and other versions
//   --changed  runs the tests that reach the files that differ from the last commit, or from that of --since=<commit>
//   --coverage also reports which lines of src/ have run
//   --node     runs the tests with a version of Node.js, which it fetches from npm: --node=26.12.1
//   other arguments name test files

import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { messageOf } from '../src/server/util/unknown-values.ts'
import { installDocumentedPackages } from './docs/code/documented-packages.ts'
import { fetchNode, HIGHEST_NODE, NEWEST_NODE } from './node-version.ts'
import { installHydrant } from './package/installed.ts'
import { createPackage, packHydrant } from './package/pack.ts'
import { findChanged, listChanges } from './runner/changed-tests.ts'
import { type Outcome, runPool } from './runner/pool.ts'
import { formatSummary } from './runner/summary.ts'
import { FIRST, isAlone, listTests, tierOf } from './runner/tiers.ts'
import { describeTools, installBrowser, installTools } from './tools.ts'
import { installFor, prepareWindows } from './windows/wine.ts'

const LEAST_COVERAGE = 90
const COVERAGE = '.build/coverage'
const FIXTURES = '.tap/fixtures'
/** The seconds that each file took in earlier runs. */
const TIMES = '.build/test-times.json'

const { values: flags, positionals: named } = parseArgs({
  options: {
    all: { type: 'boolean' },
    rest: { type: 'boolean' },
    changed: { type: 'boolean' },
    since: { type: 'string', default: 'HEAD' },
    coverage: { type: 'boolean' },
    node: { type: 'string', default: process.versions.node },
  },
  allowPositionals: true,
})
const known = listTests()
const unknown = named.filter((file) => !known.includes(file))
if (unknown.length > 0) {
  console.error(
    `There is no test ${unknown.join(', ')}. Name compiled tests, such as ${known[0]}, after npm run build.`,
  )
  process.exit(2)
}

process.env.NODE_ENV = 'production'
// tap removes a test's folder before it calls the teardown that stops the servers which write there.
process.env.TAP_SAVE_FIXTURE = '1'
// esbuild, which tests start often, takes a fifth less processor time when it collects garbage less often.
process.env.GOGC ??= '400'
rmSync(FIXTURES, { recursive: true, force: true })
const folder = mkdtempSync(join(tmpdir(), 'hydrant-tests-'))
// PostgreSQL runs as another user.
chmodSync(folder, 0o755)
process.env.TEST_FOLDER = folder
process.env.TMPDIR = folder

const times: Record<string, number> = existsSync(TIMES) ? JSON.parse(readFileSync(TIMES, 'utf8')) : {}
const failures: string[] = []
const chosen = chooseTests()
const others = flags.all || flags.rest ? chooseOthers() : []
const unfinished = new Set([
  ...chosen,
  ...others.flatMap(({ files, version }) => files.map((file) => onNode(file, version))),
])
let passed = 0
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    finish(`stopped by ${signal}`)
    process.exit()
  })

const isFirst = (file: string) => FIRST.includes(tierOf(file))
const first = chosen.filter(isFirst)
const rest = chosen.filter((file) => !isFirst(file))
if (rest.length > 0 && named.length === 0) console.log(describeTools())
if ([first, ...others.map(({ files }) => files)].flat().some((file) => tierOf(file) === 'smoke')) {
  await installBrowser().catch((error: Error) => {
    // Nobody waits minutes for this sentence.
    unfinished.clear()
    failures.push(error.message)
    finish()
    process.exit()
  })
}
// They are needed later.
const prepared = rest.length > 0 ? step('programs and packages', prepare) : undefined
const isWhole = named.length === 0 && !flags.changed && !flags.rest
if (isWhole)
  await step('biome', () => runNode(['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']))
if (named.length === 0)
  await step('hydrant build site', () => runNode(['dist/scripts/cli.js', 'build', 'site'], 'ignore'))
// The processors are idle while programs are downloaded.
for (const { files, version } of others)
  await step(`Node.js ${version}`, () => run(files, availableParallelism() + 1, version))
if (flags.coverage) {
  rmSync(COVERAGE, { recursive: true, force: true })
  mkdirSync(COVERAGE, { recursive: true })
  process.env.NODE_V8_COVERAGE = COVERAGE
}
// These keep the processors busy.
await run(first, availableParallelism() + 1)
await prepared
// These wait for programs and deadlines for more than half of their time.
await run(rest, 2 * availableParallelism() + 1)
delete process.env.NODE_V8_COVERAGE
if (flags.coverage) await step('coverage', () => runNode(coverageCommand()))
writeFileSync(TIMES, JSON.stringify(times))
finish()

function chooseTests(): string[] {
  if (named.length > 0) return named
  if (flags.all) return known
  if (flags.rest) return known.filter((file) => !FIRST.includes(tierOf(file)))
  if (!flags.changed) return known.filter((file) => FIRST.includes(tierOf(file)))
  const { tests, unreached } = findChanged(listChanges(flags.since), known)
  if (unreached.length > 0) console.log(`No test imports ${unreached.join(', ')}. Documents are tested by --all.`)
  return tests
}

/** Chooses the tests for other versions of Node.js: those of `npm test` for the newest, its smoke tests for the others. */
function chooseOthers(): { files: string[]; version: string }[] {
  const versions = Object.values(HIGHEST_NODE).filter((version) => version !== flags.node)
  return versions.map((version) => {
    const tiers = version === NEWEST_NODE ? FIRST : ['smoke']
    return { files: known.filter((file) => tiers.includes(tierOf(file))), version }
  })
}

/** Names a test file in the output: `dist/test/….test.js on Node.js 26.12.1`. */
function onNode(file: string, version: string): string {
  return version === flags.node ? file : `${file} on Node.js ${version}`
}

/** Runs files, the slowest of earlier runs first, so that the run does not end with one of them alone. */
async function run(files: readonly string[], jobs: number, version = flags.node) {
  if (files.length === 0) return
  const sorted = files.toSorted((a, b) => (times[b] ?? 0) - (times[a] ?? 0))
  const program = await fetchNode(version)
  await runPool(sorted, { program, jobs, isAlone, report: (file, outcome) => report(onNode(file, version), outcome) })
}

/** Prints what a file wrote only when something in it failed. */
function report(file: string, { passed: more, failures: failed, output, seconds }: Outcome) {
  unfinished.delete(file)
  times[file] = seconds
  passed += more
  failures.push(...failed.map((failure) => `${file} › ${failure}`))
  if (failed.length > 0) console.log(output)
  console.log(`${failed.length > 0 ? 'not ok' : 'ok'} ${file} (${more}, ${seconds.toFixed(1)} s)`)
}

function finish(reason = 'was not run') {
  for (const file of unfinished) failures.push(`${file} › ${reason}`)
  for (const written of [FIXTURES, folder]) {
    try {
      rmSync(written, { recursive: true, force: true, maxRetries: 5 })
    } catch (error) {
      // A process that a test left behind may still write there.
      console.error(`${written} stays: ${messageOf(error)}`)
    }
  }
  // Repeats the failures, because other files' output follows them above.
  console.log(formatSummary(passed, failures))
  process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1
}

/** Runs a part of the test command. When it rejects, it is a failure with its name. */
async function step(name: string, work: () => Promise<void>) {
  console.log(`— ${name}`)
  await work().catch((error: Error) => failures.push(`${name} › ${error.message}`))
}

/** Installs once what several files would install at the same time. */
async function prepare() {
  await installTools()
  if (!rest.some((file) => tierOf(file) === 'release')) return
  await installDocumentedPackages()
  const packed = join(folder, 'packed.json')
  writeFileSync(packed, JSON.stringify(await createPackage(folder)))
  process.env.TEST_PACKED = packed
  await installHydrant(await packHydrant(folder))
  await prepareWindows()
  for (const system of ['win32', 'linux'] as const) await installFor(system, folder)
}

/** Runs a program. `stdout` says whether its output is shown. Its errors are shown always. */
async function runNode(words: readonly string[], stdout: 'inherit' | 'ignore' = 'inherit') {
  const child = spawn(process.execPath, words, { stdio: ['inherit', stdout, 'inherit'] })
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`ended with ${code}`)
}

function coverageCommand(): string[] {
  const files = [
    '--include=src/**',
    '--exclude-after-remap',
    '--reporter=text-summary',
    '--reports-dir=.build/coverage-report',
  ]
  // A run of some tests does not reach all of src/.
  const check = flags.all ? ['--check-coverage'] : []
  const thresholds = [`--lines=${LEAST_COVERAGE}`, '--functions=0', '--branches=0', '--statements=0']
  return ['node_modules/c8/bin/c8.js', 'report', `--temp-directory=${COVERAGE}`, ...files, ...check, ...thresholds]
}
