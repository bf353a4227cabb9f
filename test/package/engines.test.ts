// The Node.js versions that `engines` names: npm installs the package with --engine-strict, and it builds and serves
// a site.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { createOutsideFolder } from '../outside-folder.ts'
import { createUserEnv } from '../user-env.ts'
import { packHydrant } from './pack.ts'

const run = promisify(execFile)

/** The lowest version of each range in `engines`. */
const VERSIONS = ['20.19.0', '22.12.0', '24.0.0'] as const

/**
 * Fastify's light-my-request 6.8 needs Node.js 22. README.md tells sites on Node.js 20 to use the previous version.
 */
const OVERRIDES: Record<string, object> = { '20.19.0': { 'light-my-request': '~6.6.0' } }

/** The most packages of a site that has nothing but Hydrant, Fastify and React. */
const MAX_PACKAGES = 100

const PAGE = 'export default function Page() {\n  return <h1>Hello</h1>\n}\n'
const PROGRAM = `import { createServer } from 'hydrant'
const app = await createServer({ dir: '.', ledger: false, logger: false })
const { statusCode, body } = await app.inject({ url: '/', headers: { accept: 'text/html' } })
await app.close()
console.log(JSON.stringify({ node: process.version, statusCode, body }))
`

const env = createUserEnv()
const npm = findNpm()
const folder = createOutsideFolder(t, 'engines-')
const { tarball } = await packHydrant(folder)

t.test('engines names exactly these versions', async (t) => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } }
  t.strictSame(engines.node.match(/\d+\.\d+\.\d+/g), VERSIONS)
  t.match(readFileSync('README.md', 'utf8'), 'Node.js 20.19, 22.12, 24 or newer')
})

for (const version of VERSIONS) {
  t.test(`installs with --engine-strict, builds and serves on Node.js ${version}`, async (t) => {
    const node = await fetchNode(version)
    const site = join(folder, version)
    mkdirSync(join(site, 'pages'), { recursive: true })
    const manifest = { name: 'my-site', private: true, type: 'module', overrides: OVERRIDES[version] ?? {} }
    writeFileSync(join(site, 'package.json'), JSON.stringify(manifest))
    writeFileSync(join(site, 'pages/index.tsx'), PAGE)
    writeFileSync(join(site, 'ask.mjs'), PROGRAM)
    // The driver of the ledger works without its install script.
    const words = ['install', '--engine-strict', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
    await run(node, [npm, ...words, tarball, 'fastify', 'react', 'react-dom'], { cwd: site, env })
    const count = await countPackages(node, site)
    t.ok(count <= MAX_PACKAGES, `${count} packages`)
    await run(node, ['node_modules/hydrant/dist/scripts/cli.js', 'build'], { cwd: site, env })
    const errors = await run(node, ['node_modules/hydrant/dist/scripts/cli.js', 'errors'], { cwd: site, env }).then(
      () => '',
      ({ stderr }: { stderr: string }) => stderr,
    )
    t.match(errors, '[HYD_LEDGER_MISSING]', 'hydrant errors loads the driver before it looks for the file')
    const isKept = existsSync(join(site, 'node_modules/.cache/hydrant/compiled'))
    t.equal(isKept, version !== '20.19.0', 'compiled code is kept where Node.js can')
    const { stdout } = await run(node, ['ask.mjs'], { cwd: site, env: { ...env, NODE_ENV: 'production' } })
    const answer = JSON.parse(stdout) as { node: string; statusCode: number; body: string }
    t.equal(answer.node, `v${version}`)
    t.equal(answer.statusCode, 200)
    t.match(answer.body, '<h1>Hello</h1>')
  })
}

/** Counts the packages that npm has installed for production, by name and version. */
async function countPackages(node: string, site: string): Promise<number> {
  const { stdout } = await run(node, [npm, 'ls', '--all', '--omit=dev', '--parseable', '--long'], { cwd: site, env })
  const packages = stdout.split('\n').flatMap((line) => line.split(':')[1] ?? [])
  return new Set(packages.filter((name) => !name.startsWith('my-site'))).size
}

/**
 * Fetches a version of Node.js from the npm registry, once per checkout. Returns its program. `npm pack` and tar take
 * half the processor time of `npm install`.
 */
async function fetchNode(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`
  const prefix = resolve('.build/node', version)
  const program = join(prefix, 'bin/node')
  if (existsSync(program)) return program
  const draft = `${prefix}-${process.pid}`
  mkdirSync(draft, { recursive: true })
  const words = ['pack', '--silent', '--prefer-offline', '--pack-destination', draft, `${name}@${version}`]
  await run(process.execPath, [npm, ...words], { env })
  const tarball = join(draft, `${name}-${version}.tgz`)
  await run('tar', ['--extract', '--file', tarball, '--directory', draft, 'package/bin/node'])
  mkdirSync(dirname(program), { recursive: true })
  // Renamed when complete, because a run may be stopped meanwhile.
  renameSync(join(draft, 'package/bin/node'), program)
  rmSync(draft, { recursive: true })
  return program
}

/** Returns npm's JavaScript file: its shell script would run it with the first Node.js in PATH. */
function findNpm(): string {
  const beside = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js')
  const found = [process.env.npm_execpath, beside].find((path) => path !== undefined && existsSync(path))
  if (found === undefined) throw new Error(`npm is neither in npm_execpath nor in ${beside}. Run this by npm test.`)
  return found
}
