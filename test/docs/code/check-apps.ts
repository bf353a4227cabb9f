// Compiles and runs the samples of apps around a site: app.ts, main.ts, tests of an app, and parts of an app.

import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import type { Test } from 'tap'
import { buildSharing } from '../../shared-compression.ts'
import { createTypedSite, findTypeErrors, TSC } from '../../types/typed-site.ts'
import { type CodeBlock, placeOf } from './code-block.ts'
import { linkDocumentedPackages } from './documented-packages.ts'
import { givenApp, givenSecrets, givenSite } from './given-files.ts'
import { toDocumentPlaces } from './sample-sites.ts'

const run = promisify(execFile)
const RUNNER = resolve('dist/test/docs/code/run-apps.js')
const PREPARED =
  "import hydrant from 'hydrant'; import { createApp } from './app-of-reader.ts'; import { tracker } from './tracker.ts'; const app = createApp(); "
const MOUNTED = "await app.register(hydrant, { dir: './my-site' });"

/** Says whether the block is an app, a test of one, or a part of one. */
export function isApp({ language, path, isFragment }: CodeBlock): boolean {
  return /^(?:app|main)\.ts$|^test\/.+\.test\.ts$/.test(path) || (isFragment && language === 'ts')
}

/** Creates a folder for samples, with everything that a reader has, and a built site. */
export async function createAppFolder(t: Pick<Test, 'testdir' | 'teardown'>): Promise<string> {
  const site = Object.entries(givenSite).map(([path, text]) => [join('my-site', path), text])
  const dir = createTypedSite(t, { ...givenApp, ...Object.fromEntries(site) })
  linkDocumentedPackages(dir)
  const { warnings } = await buildSharing({ dir: join(dir, 'my-site') })
  if (warnings.length > 0) throw new Error(JSON.stringify(warnings))
  return dir
}

/** Returns a line for each problem, with its place in the document. `dir` is a folder for samples. */
export async function findAppProblems(dir: string, apps: readonly CodeBlock[]): Promise<string[]> {
  const isTest = ({ path }: CodeBlock) => path.endsWith('.test.ts')
  const blocks = new Map(apps.map((block, index) => [`${isTest(block) ? 'test' : 'app'}-${index}.ts`, block]))
  for (const [path, block] of blocks) writeFileSync(join(dir, path), isTest(block) ? block.text : completeApp(block))
  try {
    const errors = await findTypeErrors(TSC, dir)
    if (errors.length > 0) return errors.map((line) => toDocumentPlaces(blocks, line))
    await compile(dir, [...blocks.keys()])
  } finally {
    // The compiler takes all files of the folder, and the next samples go there too.
    for (const path of blocks.keys()) rmSync(join(dir, path))
  }
  const [tests, programs] = [true, false].map((kind) => [...blocks].filter(([, block]) => isTest(block) === kind))
  return [...(await runTests(dir, tests ?? [])), ...(await runApps(dir, programs ?? []))]
}

/** Adds everything that a part of an app leaves out, and exports the app. The sample keeps its lines. */
function completeApp({ text, isFragment }: CodeBlock): string {
  const sample = text.replaceAll('port: 3000', 'port: 0')
  if (!isFragment) return `${sample}\nexport { app }\n`
  if (sample.includes('register(hydrant,')) return `${PREPARED}${sample}\nexport { app }\n`
  // The console needs a site, and hooks come before one.
  return sample.includes('hydrant.admin')
    ? `${PREPARED}${MOUNTED}${sample}\nexport { app }\n`
    : `${PREPARED}${sample}\n${MOUNTED}\nexport { app }\n`
}

async function compile(dir: string, files: readonly string[]) {
  await build({
    entryPoints: files.map((file) => join(dir, file)),
    outdir: dir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  })
}

const compiled = (dir: string, path: string) => join(dir, path.replace(/ts$/, 'mjs'))
const env: NodeJS.ProcessEnv = {
  ...process.env,
  ...givenSecrets,
  NODE_ENV: 'production',
  HYDRANT_ADMIN_TOKEN: 'a-token-of-32-characters-for-tests',
}

async function runTests(dir: string, tests: readonly [string, CodeBlock][]): Promise<string[]> {
  const problems = tests.map(async ([path, block]) => {
    const { NODE_TEST_CONTEXT: _, ...own } = env
    const ended = run(process.execPath, ['--test', compiled(dir, path)], { cwd: dir, env: own })
    return await ended.then(
      ({ stdout }) => (/pass [1-9]/.test(stdout) ? [] : [`${placeOf(block)}: no test ran`]),
      ({ stdout }: { stdout: string }) => [`${placeOf(block)}: ${stdout}`],
    )
  })
  return (await Promise.all(problems)).flat()
}

/** Runs all apps in one process, in whose folder `./my-site` is. */
async function runApps(dir: string, apps: readonly [string, CodeBlock][]): Promise<string[]> {
  const files = apps.map(([path]) => compiled(dir, path))
  const child = fork(RUNNER, files, { cwd: dir, env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  let problems: readonly (string | null)[] = apps.map(() => 'the process ended before it was done')
  // The runner sends one list, with the problem of each app, or null.
  child.on('message', (message) => {
    problems = message as (string | null)[]
  })
  await once(child, 'close')
  return apps.flatMap(([, block], index) => {
    const problem = problems[index]
    return problem === null ? [] : [`${placeOf(block)}: ${problem}`]
  })
}
