import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { COMMAND_OPTIONS } from '../command-options.ts'
import { buildSharing } from '../shared-compression.ts'
import { cliPath } from './cli-path.ts'
import { createSite } from './create-site.ts'
import { runCli, startCli } from './run-cli.ts'

const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))

t.test('ends without an error if the reader of its output has gone', async (t) => {
  // `true` reads nothing, as `head` reads no more than it needs.
  const pipe = 'set -o pipefail; "$@" | true'
  const command = [process.execPath, ...COMMAND_OPTIONS, cliPath]
  for (const words of [['--help'], ['errors', '--help'], ['docs', 'errors']]) {
    const { stderr } = await promisify(execFile)('bash', ['-c', pipe, 'bash', ...command, ...words])
    t.equal(stderr, '', words.join(' '))
  }
})

const built = createSite(t, {
  'pages/[id].tsx': 'export default () => null\n',
  'pages/[id].server.ts':
    'export const actions = { rate() {}, buy: { action() {} } }\nexport const load = () => 1\nexport const stream = false\n',
  'pages/members/layout.tsx': 'export default ({ children }) => children\n',
  'pages/members/layout.server.ts': 'export const guard = () => {}\n',
  'pages/members/list/index.tsx': 'export default () => null\n',
})

t.test('nor if it closes the pipe at once', async (t) => {
  const child = spawn(process.execPath, [cliPath, 'docs', 'errors'], { stdio: ['ignore', 'pipe', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  child.stdout.destroy()
  const [code] = await once(child, 'close')
  t.strictSame([code, stderr], [0, ''])
})

t.test('prints a chapter of the documentation', async (t) => {
  const markdown = readFileSync('docs/guide/guards.md', 'utf8')
  t.strictSame(await runCli(['docs', 'guards']), { code: 0, stdout: markdown, stderr: '' })
})

t.test('builds a site and reports each page', async (t) => {
  const { code, stdout, stderr } = await runCli(['build'], { cwd: built })
  t.equal(stderr, '')
  t.equal(code, 0)
  t.match(stdout, /^hydrant build: bundles$/m, 'steps are lines where there is no terminal')
  t.match(stdout, /^page +kind +JS +with shared +CSS$/m)
  t.match(stdout, /^\/ +static +\d+ B +[\d.]+ kB +–$/m)
  t.match(stdout, /^\/\[id\] +actions \(rate, buy\), load, stream /m)
  t.match(stdout, /^\/members\/list +guard of pages\/members\/ /m)
  t.match(stdout, /^3 pages, \d+ files for the browser: [\d.]+ kB, [\d.]+ kB gzipped$/m)
  t.match(stdout, `written to ${join(built, '.hydrant')}`)
})

t.test('ends although the configuration keeps a timer', async (t) => {
  const dir = createSite(t, {
    'pages/index.tsx': 'export default () => <p>page</p>\n',
    'hydrant.config.ts': 'setInterval(() => {}, 1000)\nexport default {}\n',
  })
  for (const command of ['build', 'info']) t.match(await runCli([command, dir]), { code: 0 }, command)
})

t.test('ends with 2 for a wrong option, and says where it comes from', async (t) => {
  const misused = async (args: string[], stderr: string, env: Record<string, string> = {}) =>
    t.match(await runCli(args, { env }), { code: 2, stdout: '', stderr: `Error [${stderr}` }, args.join(' '))
  await misused(['start', built, '--port', 'http'], 'HYD_OPTION_INVALID] "--port" must be a whole number')
  const { stderr } = await runCli(['start', built, '--port', 'http'])
  t.match(stderr, /; got "http"\nTry: Correct the value of --port\.$/m)
  const variable = await runCli(['start', built], { env: { PORT: 'http' } })
  t.match(variable.stderr, /\nTry: Correct the variable PORT in the environment or in the \.env files\.$/m)
  await misused(['start', built], 'HYD_OPTION_INVALID] "PORT" must be a whole number', { PORT: 'http' })
  await misused(['dev', built, '--base', 'shop'], 'HYD_OPTION_INVALID] "--base" must be')
})

t.test('names the file of types as the folder was named', async (t) => {
  t.strictSame(await runCli(['types'], { cwd: createSite(t, {}) }), {
    code: 0,
    stdout: 'wrote the types of 1 page to hydrant-env.d.ts\n',
    stderr: '',
  })
})

t.test('says in one sentence that Node.js is too old, or a version that is not supported', async (t) => {
  const [, oldest = ''] = /^\^([\d.]+)/.exec(engines.node) ?? []
  const minor = Number(oldest.split('.')[1])
  const run = (version: string) => {
    const code = `Object.defineProperty(process, 'version', { value: '${version}' })`
    return runCli(['--version'], {
      node: [...COMMAND_OPTIONS, '--import', `data:text/javascript,${encodeURIComponent(code)}`],
    })
  }
  for (const old of ['v18.20.8', `v20.${minor - 1}.0`]) {
    const stderr = `Error: Hydrant needs Node.js 20 (from 20.${minor}), 22 (from 22.12), or 24 and later; this is ${old}\n`
    t.strictSame(await run(old), { code: 1, stdout: '', stderr })
  }
  for (const other of ['v21.7.3', 'v22.11.0', 'v23.9.0']) {
    const stderr = `Warning: Hydrant supports Node.js 20 (from 20.${minor}), 22 (from 22.12), or 24 and later; it is not tested with ${other}\n`
    t.match(await run(other), { code: 0, stdout: /^\d/, stderr })
  }
  for (const supported of [`v${oldest}`, 'v22.12.0', 'v24.0.0', 'v25.1.0'])
    t.match(await run(supported), { code: 0, stderr: /^$/ })
})

t.test('ends with 1 when there is no build to start', async (t) => {
  const dir = createSite(t, {})
  t.match(await runCli(['start', dir]), { code: 1, stderr: /^Error \[HYD_BUILD_MISSING\] .*\nTry: / })
})

t.test('leads an error that keeps a site from starting to its source', async (t) => {
  const dir = createSite(t, {
    'server.ts': `
      interface Settings { fail: string | undefined }
      const { fail }: Settings = { fail: process.env.FAIL }
      // A connection that stays open does not keep the command running.
      setInterval(() => {}, 1_000)
      if (fail === 'module') throw new TypeError('of the module')
      export default async function server() {
        throw new Error('of the plugin')
      }
    `,
  })
  await buildSharing({ dir })
  const plugin = /^Error: of the plugin\n {4}at server \(server\.ts:8:15\)\n/
  t.match(await runCli(['start', dir, '--port', '0']), { code: 1, stderr: plugin })
  t.match(await runCli(['start', dir, '--port', '0', '--workers', '2']), { code: 1, stderr: plugin }, 'of a worker')
  t.match(await runCli(['start', dir, '--port', '0'], { env: { FAIL: 'module' } }), {
    code: 1,
    stderr: /^Error \[HYD_BUILD_BROKEN\] .*\nTry: .*\n\nTypeError: of the module\n {4}at server\.ts:6:\d+\n/,
  })
})

t.test('a package that needs a browser is named with the module that imports it', async (t) => {
  const manifest = (name: string, type: string, ...needed: string[]) =>
    JSON.stringify({ name, type, main: 'index.js', dependencies: Object.fromEntries(needed.map((one) => [one, '1'])) })
  const dir = createSite(t, {
    'node_modules/@maps/map/package.json': manifest('@maps/map', 'commonjs'),
    'node_modules/@maps/map/index.js': "exports.map = require('./inner/')\n",
    'node_modules/@maps/map/inner/index.js': 'exports.map = document.createElement("p")\n',
    'node_modules/esm/package.json': manifest('esm', 'module'),
    'node_modules/esm/index.js': 'export const map = window.innerWidth\n',
    'node_modules/through/package.json': manifest('through', 'module', 'none', 'esm'),
    'node_modules/through/index.js': "export { map } from 'esm'\n",
    'node_modules/requires/package.json': manifest('requires', 'commonjs', 'between'),
    'node_modules/requires/index.js': "exports.map = require('between').map\n",
    // As pnpm and npm place what only another package needs.
    'node_modules/requires/node_modules/between/package.json': manifest('between', 'commonjs', '@maps/map'),
    'node_modules/requires/node_modules/between/index.js': "exports.map = require('@maps/map').map\n",
    'node_modules/waits/package.json': manifest('waits', 'module'),
    'node_modules/waits/index.js': "export const map = await Promise.reject(new Error('no network'))\n",
  })
  const threw = (name: string, text: string) => `pages/index.tsx:2:1: the package ${name} threw: ${text}`
  for (const [name, problem, fix] of [
    [
      '@maps/map',
      threw('"@maps/map"', 'document is not defined'),
      'Import "@maps/map", or the package that imports it,',
    ],
    [
      'esm',
      threw('"esm"', 'window is not defined'),
      'Import "esm", or the package that imports it, with import() in an',
    ],
    ['through', threw('"esm", which "through" needs,', 'window is not defined'), 'Import "esm", or the package'],
    [
      'requires',
      threw('"@maps/map", which "requires" needs,', 'document is not defined'),
      'Import "@maps/map", or the',
    ],
    ['waits', threw('"waits"', 'no network'), 'Fix the module that the stack names'],
  ]) {
    const page = `\nimport { map } from '${name}'\nexport default () => <p>{String(map)}</p>\n`
    writeFileSync(join(dir, 'pages/index.tsx'), page)
    await buildSharing({ dir })
    const { code, stderr } = await runCli(['start', dir, '--port', '0'])
    t.equal(code, 1)
    t.match(stderr, `Error [HYD_BUILD_BROKEN] the server bundle of the build failed to load: ${problem}\nTry: ${fix}`)
    t.match(stderr, /node_modules\/.*\.js:1:/, 'with the stack')
  }
})

t.test('starts a build without the compiler, and prefers a flag to the environment to the configuration', async (t) => {
  const dir = createSite(t, {
    'hydrant.config.ts': "export default { base: '/config', logRequests: true }\n",
    'pages/index.tsx': 'export default () => <p>{String(process.env.NODE_ENV)}</p>\n',
  })
  await buildSharing({ dir })
  const refuse = `export async function resolve(name, context, next) {
    if (/^(acorn|esbuild|typescript|chokidar)(\\/|$)|\\/scripts\\/(build|dev)\\//.test(name)) throw new Error('loaded ' + name)
    return next(name, context)
  }`
  const hooks = `import { register } from 'node:module'; register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(refuse))})`
  const node = ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`]
  const server = startCli(t, ['start', dir, '--port', '0', '--base', '/flag'], {
    env: { HYDRANT_BASE: '/env', PORT: '1' },
    node,
  })
  const [, url] = await server.waitFor(/listening at (http:[^"]+)/)
  const response = await fetch(`${url}/flag`)
  t.equal(response.status, 200)
  t.match(await response.text(), '<p>production</p>')
  t.equal((await fetch(`${url}/env`)).status, 404)
  t.equal(await server.stop('SIGTERM'), 0)
})
