// The versions of Node.js, React and Fastify that docs/upgrading.md names: npm installs the package with
// --engine-strict, and it builds and serves a site. The ledger uses what each version of Node.js has.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { launchChromium } from '../browser/chromium.ts'
import { startCommand } from '../docs/start-command.ts'
import { fetchNode, findNpm, HIGHEST_NODE } from '../node-version.ts'
import { createOutsideFolder } from '../outside-folder.ts'
import { createUserEnv } from '../user-env.ts'
import { copyPackages } from './copy-packages.ts'
import { installHydrant, versionOf } from './installed.ts'
import { packHydrant } from './pack.ts'
import { SITE_FILES } from './versioned-site.ts'

const run = promisify(execFile)

interface Manifest {
  version: string
  engines: { node: string }
  peerDependencies: Record<string, string>
}

/** The versions of React and Fastify that this repository installs: all other tests use them. */
const HIGHEST = { react: versionOf('react'), fastify: versionOf('fastify') }

interface Combination {
  /** The lowest and the highest version of a range in `engines`. */
  node: string
  highest: string
  react: string
  fastify: string
  /** Fastify's light-my-request 6.8 needs Node.js 22. docs/upgrading.md tells sites on Node.js 20 to use the previous version. */
  overrides?: Record<string, string>
  /** The drivers of the ledger that the lowest and the highest version use, if the package is installed where Node.js has none. */
  drivers: readonly [Driver, Driver]
}

type Driver = '@photostructure/sqlite' | 'node:sqlite'

const COMBINATIONS: readonly [Combination, ...Combination[]] = [
  {
    ...{ node: '20.19.0', highest: HIGHEST_NODE[20], drivers: ['@photostructure/sqlite', '@photostructure/sqlite'] },
    ...{ react: '19.2.0', fastify: '5.12.0', overrides: { 'light-my-request': '~6.6.0' } },
  },
  { node: '22.12.0', highest: HIGHEST_NODE[22], drivers: ['@photostructure/sqlite', 'node:sqlite'], ...HIGHEST },
  { node: '24.0.0', highest: HIGHEST_NODE[26], drivers: ['node:sqlite', 'node:sqlite'], ...HIGHEST },
]
const LOWEST = COMBINATIONS[0]
const NEWEST = COMBINATIONS.at(-1) ?? LOWEST

/** The most packages of a site that has nothing but Hydrant, Fastify and React. */
const MAX_PACKAGES = 100

const CLI = 'node_modules/hydrant/dist/scripts/cli.js'
const env = { ...createUserEnv(), HYDRANT_ADMIN: 'false' }
const npm = findNpm()
const folder = createOutsideFolder(t, 'engines-')
const packed = await packHydrant(folder)

t.test('the ranges begin with the lowest versions, and the documents name the same', async (t) => {
  const { engines, peerDependencies } = readManifest('package.json')
  const lowest = COMBINATIONS.map(({ node }) => node)
  const highest = COMBINATIONS.map(({ highest }) => highest)
  t.strictSame(engines.node.match(/\d+\.\d+\.\d+/g), lowest)
  t.match(readFileSync('README.md', 'utf8'), 'Node.js 20 (from 20.19), 22 (from 22.12), or 24 and later')
  for (const [name, version] of [
    ['fastify', LOWEST.fastify],
    ['react', LOWEST.react],
    ['react-dom', LOWEST.react],
  ] as const)
    t.equal(peerDependencies[name], `^${version}`)
  const document = readFileSync('docs/upgrading.md', 'utf8')
  for (const [name, from, to] of [
    ['Node.js', lowest.join(', '), highest.join(', ')],
    ['React', LOWEST.react, HIGHEST.react],
    ['Fastify', LOWEST.fastify, HIGHEST.fastify],
  ])
    t.match(document, `| ${name} | ${from} | ${to} |`)
})

for (const { node: version, highest, drivers, ...combination } of COMBINATIONS) {
  const { react, fastify } = combination
  t.test(`Node.js ${version} to ${highest} with React ${react} and Fastify ${fastify}`, async (t) => {
    const node = await fetchNode(version)
    const site = createSite(version, combination)
    // No package needs its install script.
    const words = ['install', '--engine-strict', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
    // npm checks `engines` of all packages, also of those that are installed already.
    if (react === HIGHEST.react) await copyPackages(await installHydrant(packed), site)
    else words.push(packed.tarball)
    await run(node, [npm, ...words, `fastify@${fastify}`, `react@${react}`, `react-dom@${react}`], { cwd: site, env })
    const count = countPackages(site)
    t.ok(count <= MAX_PACKAGES, `${count} packages`)
    t.equal(readManifest(join(site, 'node_modules/react-dom/package.json')).version, react)
    t.equal(readManifest(join(site, 'node_modules/fastify/package.json')).version, fastify)
    await run(node, [CLI, 'build'], { cwd: site, env })
    const isKept = existsSync(join(site, 'node_modules/.cache/hydrant/compiled'))
    t.equal(isKept, version !== '20.19.0', 'compiled code is kept where Node.js can')

    // npm installs the optional package only if it was copied.
    const copied = join(site, 'node_modules/@photostructure')
    t.equal(existsSync(copied), react === HIGHEST.react)
    rmSync(copied, { recursive: true, force: true })
    if (drivers[0] !== 'node:sqlite') {
      await checkVersion(t, site, version, null)
      await run(node, [npm, ...words, '@photostructure/sqlite@1'], { cwd: site, env })
    }
    await checkVersion(t, site, version, drivers[0])
    await checkVersion(t, site, highest, drivers[1])
  })
}

/** Requests the pages of a built site with a version of Node.js, and reads the ledger. */
async function checkVersion(t: Test, site: string, version: string, driver: Driver | null) {
  const node = await fetchNode(version)
  rmSync(join(site, 'hydrant-errors.db'), { force: true })
  const { stdout } = await run(node, ['ask.mjs'], { cwd: site, env: { ...env, NODE_ENV: 'production' } })
  const { answers, warnings, ...told } = JSON.parse(stdout)
  t.equal(told.node, `v${version}`)
  t.equal(told.required, 'function', 'CommonJS modules can require the package')
  t.match(answers, {
    page: { statusCode: 200, body: /<h1>Hello (?:<!-- -->)?you<\/h1>[\s\S]*<p id="later">streamed<\/p>/ },
    form: { statusCode: 200, body: '<output>a b</output>' },
    data: { statusCode: 200, body: '{"title":"Item 7"}' },
    none: { statusCode: 404 },
    failure: { statusCode: 500, body: /Digest: [\w-]{15}/ },
  })
  const errors = await run(node, [CLI, 'errors'], { cwd: site, env }).catch(
    (error: { stdout: ''; stderr: '' }) => error,
  )
  if (driver === null) {
    t.match(warnings.join('\n'), /failures are kept in memory until the server stops: .* needs the package @photo/)
    t.match(errors.stderr, '[HYD_LEDGER_SQLITE_MISSING]')
    return
  }
  t.match(errors.stdout, 'no price', 'the ledger has the failure')
  t.notMatch(errors.stderr, 'Warning')
  const info = await run(node, [CLI, 'info', '--json'], { cwd: site, env })
  t.equal(JSON.parse(info.stdout).ledger.driver, driver)
}

t.test('the lowest and the highest versions of React work in a browser', async (t) => {
  const chromium = await launchChromium(t)
  for (const { node, highest, react } of [LOWEST, NEWEST]) {
    const version = react === LOWEST.react ? node : highest
    const command = `${await fetchNode(version)} ${CLI} start --port 0`
    const server = await startCommand(command, { cwd: join(folder, node), env })
    t.teardown(server.stop)
    const { page, goto, hydrated, read, errors } = await chromium.open()
    await goto(`${server.origin}/`, 'load')
    await hydrated()
    await page.locator('button').click()
    await page.getByText('Clicked 1').waitFor()
    t.equal(await read('#later'), 'streamed', react)
    await page.locator('input').fill('a b')
    await page.locator('input').press('Enter')
    await page.locator('output', { hasText: 'a b' }).waitFor()
    t.equal(await read('button'), 'Clicked 1', 'the action loads no document')
    await page.getByRole('link', { name: 'Item 7' }).click()
    await page.getByRole('heading', { name: 'Item 7' }).waitFor()
    t.strictSame(errors, [])
  }
})

function createSite(version: string, { overrides = {} }: Pick<Combination, 'overrides'>): string {
  const site = join(folder, version)
  const dependencies = { hydrant: `^${readManifest('package.json').version}` }
  const manifest = { name: 'my-site', private: true, type: 'module', dependencies, overrides }
  for (const [path, text] of Object.entries({ ...SITE_FILES, 'package.json': JSON.stringify(manifest) })) {
    mkdirSync(dirname(join(site, path)), { recursive: true })
    writeFileSync(join(site, path), text)
  }
  return site
}

/** Counts the packages that npm has installed for production, by name and version. */
function countPackages(site: string): number {
  // npm writes what it has installed there.
  const { packages } = JSON.parse(readFileSync(join(site, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; dev?: boolean }>
  }
  const production = Object.entries(packages).filter(([, { dev }]) => !dev)
  return new Set(production.map(([path, { version }]) => `${path.replace(/.*node_modules\//, '')}@${version}`)).size
}

function readManifest(path: string): Manifest {
  // npm checks the manifests of packages.
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest
}
