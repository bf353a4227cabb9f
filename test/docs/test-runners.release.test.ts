// Runs the tests of docs/test-runners.md with each runner and the packed package, by the commands of the page.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import t from 'tap'
import { splitSections } from '../../scripts/chapters.ts'
import { packHydrant } from '../package/pack.ts'
import { writeFiles } from '../server/served.ts'
import { CHROMIUM_SHELL } from '../tools.ts'
import { findTypeErrors, TSC } from '../types/typed-site.ts'
import { createUserEnv } from '../user-env.ts'
import { readBlocks } from './code/code-block.ts'
import { installDocumentedPackages, linkDocumentedPackages } from './code/documented-packages.ts'

const run = promisify(execFile)

const text = readFileSync('docs/test-runners.md', 'utf8')
const blocks = readBlocks(text)
const folder = t.testdir({})
const packages = join(folder, 'node_modules')
/** The site of the page. */
const dir = join(folder, 'site')
const { NODE_TEST_CONTEXT: _, ...user } = createUserEnv()
const env: NodeJS.ProcessEnv = { ...user, CHROMIUM: CHROMIUM_SHELL, NO_COLOR: '1', CI: '1' }

await installDocumentedPackages()
linkDocumentedPackages(folder)
writeFiles(dir, {
  'package.json': '{ "private": true, "type": "module" }',
  'tsconfig.json': '{ "extends": "hydrant/tsconfig.json" }',
  ...Object.fromEntries(blocks.filter(({ path }) => path !== '').map(({ path, text }) => [path, text])),
})
await installHydrant()

/** Unpacks the package, and adds the programs that `npx` looks for. */
async function installHydrant() {
  const { tarball } = await packHydrant(folder)
  const hydrant = join(packages, 'hydrant')
  const bin = join(packages, '.bin')
  for (const path of [hydrant, bin]) mkdirSync(path)
  await run('tar', ['--extract', '--file', tarball, '--strip-components', '1', '--directory', hydrant])
  chmodSync(join(hydrant, 'dist/scripts/cli.js'), 0o755)
  symlinkSync('../hydrant/dist/scripts/cli.js', join(bin, 'hydrant'))
  symlinkSync('../vitest/vitest.mjs', join(bin, 'vitest'))
  symlinkSync('../@playwright/test/cli.js', join(bin, 'playwright'))
  symlinkSync(packages, join(dir, 'node_modules'))
}

/** Returns the last command of a section. */
function commandOf(heading: string): string {
  const section = splitSections(text).find((section) => section.heading === heading)
  return readBlocks(section?.text ?? '').findLast(({ language }) => language === 'sh')?.text ?? ''
}

/** npx starts the program of this path, and takes as long as a build. The test of Playwright starts it. */
const withoutNpx = (command: string) => command.replace(/^npx /, 'node_modules/.bin/')

/** Runs a command and returns what it writes. */
async function runCommand(command: string, more: NodeJS.ProcessEnv = {}, cwd = dir): Promise<string> {
  const options = { cwd, env: { ...env, ...more } }
  const { stdout, stderr } = await run('bash', ['--norc', '-c', command], options).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  return stdout + stderr
}

t.test('node:test', async (t) => {
  t.match(await runCommand(commandOf('node:test')), /pass 2\n.*fail 0\n/)
})

t.test('Vitest, also for components', async (t) => {
  t.match(await runCommand(withoutNpx(commandOf('Vitest'))), /Tests +5 passed \(5\)/)
})

t.test('tap', async (t) => {
  t.match(await runCommand(commandOf('tap')), /fail 0\n/)
})

t.test('TypeScript finds no error in the tests', async (t) => {
  t.strictSame(await findTypeErrors(TSC, dir), [])
})

t.test('a template with another runner', async (t) => {
  const site = join(folder, 'new')
  await runCommand(withoutNpx(`npx hydrant create ${site}`))
  symlinkSync(packages, join(site, 'node_modules'))
  const file = join(site, 'test/pages.test.js')
  const [line = ''] = /import \{[^`]*\} from 'vitest'/.exec(text.slice(text.indexOf('## Change the runner'))) ?? []
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^import .* from 'node:test'$/m, line))
  const output = await runCommand(withoutNpx('npx vitest run test/pages.test.js'), {}, site)
  t.match(output, /Tests +3 passed \(3\)/)
})

t.test('Vitest watches, and builds once after a change', async (t) => {
  const manifest = join(dir, '.hydrant/manifest.json')
  const watcher = spawn('node_modules/.bin/vitest', ['--watch', '--project', 'pages'], { cwd: dir, env })
  t.teardown(() => watcher.kill())
  const output: string[] = []
  const lines = createInterface(watcher.stdout)[Symbol.asyncIterator]()
  async function waitForRun() {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(output.join('\n'))
      output.push(value)
      if (value.includes('Waiting for file changes')) return statSync(manifest).ino
    }
  }
  const before = await waitForRun()
  appendFileSync(join(dir, 'pages/notes.tsx'), '// Changed.\n')
  const after = await waitForRun()
  t.not(after, before, 'the site is built again')
  appendFileSync(join(dir, 'test/notes.spec.ts'), '// Changed.\n')
  t.equal(await waitForRun(), after, 'a test is not part of the build')
  t.equal(output.filter((line) => line.includes('RERUN')).length, 2)
})

t.test('Playwright', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  t.match(await runCommand(commandOf('Playwright'), { PORT: String(port) }), /3 passed/)
})
