// Loading tap takes 160 ms of a processor, and loading Playwright 440 ms. Each test file is a process, and Node.js 20
// keeps no compiled code. The packages that this module writes load the same code from few files, and its compiled form
// from caches.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/** Node.js looks here before `node_modules` when a compiled test imports a package. */
const FOLDER = resolve('dist/test/node_modules')
/** tap leaves stack frames of this folder out of what it prints. */
const TAP = join(FOLDER, '@tapjs/tap.cjs')

/** Takes the place of a package in tap, see the module. */
const UNCAUGHT_ERRORS = fileURLToPath(new URL('./uncaught-errors.js', import.meta.url))

/** Sets the options of V8 in each test process. */
const OPTIMIZE_LATER = fileURLToPath(new URL('./optimize-later.js', import.meta.url))

/** Runs the parts of the packages that most tests use, so that the caches contain them. */
const REHEARSAL = `import t from 'tap'
import 'playwright-core'
import { writeCaches } from '../cached-script.js'
t.test('one', async (t) => {
  t.ok(true)
  t.equal(1, 1)
  t.match('ab', /b/)
  t.strictSame({ a: [1] }, { a: [1] })
})
t.teardown(writeCaches)
`

/** Describes the versions that the packages were written for. */
const STAMP = join(FOLDER, 'stamp.json')
const installed = createRequire(resolve('package.json'))

/** Writes the packages, unless they are up to date. Without them, tests import the installed packages. */
export async function writeFastModules(): Promise<void> {
  const stamp = createStamp()
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return
  rmSync(FOLDER, { recursive: true, force: true })
  await build({
    entryPoints: [installed.resolve('tap')],
    bundle: true,
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    alias: { 'async-hook-domain': UNCAUGHT_ERRORS },
    outfile: TAP,
  })
  // Importing modules see a new value of `t`.
  writePackage(
    'tap',
    [TAP],
    (tap) => `import { onTest } from '../../current-test.js'
import { reportUncaughtErrors } from '../../uncaught-errors.js'
let t = ${tap}.t
onTest((test) => {
  t = test
})
reportUncaughtErrors(() => t)
export { t as default }
export const { Test } = ${tap}
`,
  )
  const playwright = join(dirname(installed.resolve('playwright-core/package.json')), 'lib')
  writePackage(
    'playwright-core',
    ['bootstrap', 'utilsBundle', 'coreBundle'].map((name) => join(playwright, `${name}.js`)),
    (core) => `export const { chromium } = ${core}.inprocess.playwright\n`,
  )
  const rehearsal = join(FOLDER, 'rehearsal.js')
  writeFileSync(rehearsal, REHEARSAL)
  const { NODE_V8_COVERAGE: _, ...env } = process.env
  // V8 rejects a cache that was written with other options.
  execFileSync(process.execPath, ['--import', pathToFileURL(OPTIMIZE_LATER).href, rehearsal], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  writeFileSync(STAMP, stamp)
}

function createStamp(): string {
  const manifests = ['tap', 'playwright-core'].map((name) =>
    readFileSync(installed.resolve(`${name}/package.json`), 'utf8'),
  )
  return JSON.stringify([
    process.version,
    process.arch,
    ...manifests,
    ...[fileURLToPath(import.meta.url), UNCAUGHT_ERRORS, OPTIMIZE_LATER].map((file) => readFileSync(file, 'utf8')),
  ])
}

/**
 * Writes a package that loads the files in order. `toExport` writes its exports, given the name of the last file's
 * exports.
 */
function writePackage(name: string, files: readonly string[], toExport: (last: string) => string) {
  const folder = join(FOLDER, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, type: 'module', exports: './index.js' }))
  const loads = files.map((file, index) => {
    const words = [file, join(folder, `${index}.cache`)].map((path) => JSON.stringify(path))
    return `const part${index} = requireCached(${words.join(', ')})\n`
  })
  const code = `import { requireCached } from '../../cached-script.js'\n${loads.join('')}${toExport(`part${files.length - 1}`)}`
  writeFileSync(join(folder, 'index.js'), code)
}
