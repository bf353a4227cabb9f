// The test command. After the compiler it runs the linter, builds the project's site, and runs all test files, or those
// that the arguments name. `--coverage` also reports which lines of src/ have run.

import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../src/server/util/message-of.ts'
import { makeBatches } from './batches.ts'
import { installDocumentedPackages } from './docs/code/documented-packages.ts'
import { FAST } from './fast-env.ts'
import { writeFastModules } from './fast-modules.ts'
import { leaveCertificatesToNpm } from './npm-certificates.ts'
import { installHydrant } from './package/installed.ts'
import { createPackage, packHydrant } from './package/pack.ts'
import type { Outcome } from './run-file.ts'
import { runFiles } from './run-files.ts'
import { formatSummary } from './summary.ts'
import { createTemporaryFolder } from './temporary-folder.ts'
import { listTests, usesDocumentedPackages, usesInstalledPackage, usesPackage, usesTools } from './test-files.ts'
import { installTools } from './tools.ts'

const LEAST_COVERAGE = 90
const COVERAGE = '.build/coverage'
const FIXTURES = '.tap/fixtures'
/**
 * The number of files that run at the same time. A file waits for deadlines, servers and packages for more than half of
 * its time, so fewer files leave processors idle. More files make each of them slower.
 */
const JOBS = 2 * availableParallelism() + 1

/** Work that some files wait for, while others run. */
interface Preparation {
  name: string
  isNeeded(file: string): boolean
  done: Promise<void>
}

const words = process.argv.slice(2)
const isMeasured = words.includes('--coverage')
const only = words.filter((word) => word !== '--coverage')

process.env.NODE_ENV = 'production'
// tap removes a test's folder before it calls the teardown that stops the servers which write there.
process.env.TAP_SAVE_FIXTURE = '1'
rmSync(FIXTURES, { recursive: true, force: true })
const folder = createTemporaryFolder()
process.env.TEST_FOLDER = folder
process.env.TMPDIR = folder
leaveCertificatesToNpm(process.env, folder)
// esbuild, which tests start some 200 times, takes a fifth less processor time when it collects garbage less often.
process.env.GOGC ??= '400'

const failures: string[] = []
const again: string[] = []
const unfinished = new Set(only.length > 0 ? only : listTests())
let passed = 0
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop(signal))

await writeFastModules()
// Installing takes a minute on a fresh machine.
const preparations = [prepare('tools', usesTools, installTools)]
const packed = [...unfinished].some(usesPackage) ? step('npm pack', writePackage) : undefined
const isWhole = only.length === 0
// Before the others, because the linter fails when a folder vanishes while it lists the files.
if (isWhole)
  await step('biome', () => runNode(['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']))
// Once for all files, which would install them at the same time.
if ([...unfinished].some(usesDocumentedPackages))
  preparations.push(prepare('packages of the documents', usesDocumentedPackages, installDocumentedPackages))
if ([...unfinished].some(usesInstalledPackage))
  preparations.push(prepare('the installed package', usesInstalledPackage, installPackage))
if (isWhole) await step('hydrant build site', () => runNode(['dist/scripts/cli.js', 'build', 'site'], FAST))
await packed
if (isMeasured) {
  rmSync(COVERAGE, { recursive: true, force: true })
  mkdirSync(COVERAGE, { recursive: true })
  process.env.NODE_V8_COVERAGE = COVERAGE
}
await runAll([...unfinished])
delete process.env.NODE_V8_COVERAGE
if (isMeasured) await step('coverage', () => runNode(coverageCommand()))
finish()

/** Reports the files that have not ended, which a signal stops. */
function stop(signal: string): never {
  finish(`stopped by ${signal}`)
  process.exit()
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
  console.log(formatSummary(passed, failures, again))
  process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1
}

function prepare(name: string, isNeeded: Preparation['isNeeded'], work: () => Promise<void>): Preparation {
  const done = work()
  // `runAll` handles it later.
  done.catch(() => {})
  return { name, isNeeded, done }
}

/**
 * Runs the files in their order, `JOBS` processes at a time. A process waits for the preparations that its files need.
 */
async function runAll(files: readonly string[]) {
  const needs = preparations.map(({ isNeeded }) => isNeeded)
  let queue = makeBatches(files, JOBS, (file) => needs.map((isNeeded) => isNeeded(file)).join())
  const pending = new Map(
    preparations.map(({ name, isNeeded, done }) => {
      const late = new Set(files.filter(isNeeded))
      const ended = done
        .catch((error: Error) => {
          failures.push(`${name} › ${error.message}`)
          queue = queue.filter(([file = '']) => !late.has(file))
        })
        .finally(() => pending.delete(late))
      return [late, ended]
    }),
  )
  async function work() {
    while (queue.length > 0) {
      const index = queue.findIndex(([file = '']) => ![...pending.keys()].some((late) => late.has(file)))
      if (index === -1) await Promise.race(pending.values())
      else for (const batch of queue.splice(index, 1)) await runFiles(batch, report)
    }
  }
  await Promise.all([...pending.values(), ...Array.from({ length: JOBS }, work)])
}

/** Prints what a file wrote only when something in it failed, also when it passed later. */
function report(file: string, { passed: more, failures: failed, output, seconds }: Outcome, notes: string) {
  unfinished.delete(file)
  passed += more
  failures.push(...failed.map((failure) => `${file} › ${failure}`))
  if (notes !== '') {
    console.log(notes)
    if (failed.length === 0) again.push(file)
  }
  if (failed.length > 0) console.log(output)
  console.log(`${failed.length > 0 ? 'not ok' : 'ok'} ${file} (${more}, ${seconds.toFixed(1)} s)`)
}

/** Runs a part of the test command. When it rejects, it is a failure with its name. */
async function step(name: string, work: () => Promise<void>) {
  console.log(`— ${name}`)
  await work().catch((error: Error) => failures.push(`${name} › ${error.message}`))
}

async function runNode(words: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, words, { stdio: 'inherit', env: { ...process.env, ...env } })
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`ended with ${code}`)
}

/** Packs the package once for all files that install it. */
async function writePackage() {
  const file = join(folder, 'packed.json')
  writeFileSync(file, JSON.stringify(await createPackage(folder)))
  process.env.TEST_PACKED = file
}

/** Installs the package once for all files that use it so. */
async function installPackage() {
  await packed
  await installHydrant(await packHydrant(folder))
}

function coverageCommand(): string[] {
  // A run of some tests does not reach all of src/.
  const thresholds = [
    ...(isWhole ? ['--check-coverage'] : []),
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
