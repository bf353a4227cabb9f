import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openLedger } from '../../src/server/ledger/open-ledger.ts'
import { resolveOptions } from '../../src/server/options/resolve-options.ts'
import { refuseModules, WITHOUT_SQLITE } from '../refuse-modules.ts'
import { openDatabase } from '../server/ledger/open-database.ts'
import { buildSharing } from '../shared-compression.ts'
import { cliPath } from './cli-path.ts'
import { createSite } from './create-site.ts'
import { failure, writeLedger } from './failed-ledger.ts'
import { runCli, startCli } from './run-cli.ts'
import { runHere } from './run-here.ts'

const FILE = 'hydrant-errors.db'
const LOAD = `export async function load() {
  const product = undefined
  return product.price
}
`
const BROWSER = { accept: 'text/html', 'user-agent': 'Mozilla/5.0 Chrome/156.0.0.0 Safari/537.36' }

async function buildSite(t: Test, files: Record<string, string> = {}): Promise<string> {
  const dir = createSite(t, { 'pages/products/[id].tsx': 'export default () => null\n', ...files })
  const { manifest } = await buildSharing({ dir })
  t.equal(manifest.mode, 'production')
  return dir
}

const failed = t.testdir({})
await writeLedger(failed, failure({ time: Date.now() }))

t.test('leads from a visitor’s digest to the line, while the server runs and after', async (t) => {
  const dir = await buildSite(t, { 'pages/products/[id].server.ts': LOAD })
  const server = startCli(t, ['start', dir, '--port', '0'])
  const [, url] = await server.waitFor(/listening at (http:[^"]+)/)
  const response = await fetch(`${url}/products/7`, { headers: BROWSER })
  t.equal(response.status, 500)
  const digest = response.headers.get('x-error-digest') ?? ''

  // The failure is written shortly after the response.
  let shown = await runCli(['errors', digest, dir])
  while (shown.code === 1) shown = await runCli(['errors', digest, dir])
  t.match(shown, { code: 0, stderr: '' })
  t.match(shown.stdout, /^TypeError: Cannot read properties of undefined \(reading 'price'\)$/m)
  t.match(shown.stdout, `This occurrence: ${digest}`)
  t.match(shown.stdout, /^ {2}request +GET \/products\/7 on 127\.0\.0\.1$/m)
  t.match(shown.stdout, /^load \(pages\/products\/\[id\]\.server\.ts:3:18\)$/m)
  t.match(shown.stdout, /^ {2}> 3 \| {3}return product\.price\n {4} {2}\| {18}\^$/m)

  t.equal(await server.stop('SIGTERM'), 0)
  const sloppy = digest
    .toLowerCase()
    .replace('-', ' ')
    .split(/(?<=^.{4})| /)
  t.equal((await runCli(['errors', ...sloppy], { cwd: dir })).stdout.split('\n')[0], shown.stdout.split('\n')[0])
  const [one] = JSON.parse((await runHere(['errors', dir, '--json'])).stdout)
  t.match(one, {
    fingerprint: digest.slice(0, 8),
    count: 1,
    source: { file: 'pages/products/[id].server.ts', line: 3 },
  })
  const list = await runHere([
    'errors',
    dir,
    '--since',
    '1h',
    '--side',
    'server',
    '--route',
    '/products/[id]',
    '--open',
  ])
  t.match(list, { code: 0, stdout: `1 failure, seen once in total. Ledger: ${join(dir, FILE)}` })

  const { buildId } = JSON.parse(readFileSync(join(dir, '.hydrant/manifest.json'), 'utf8'))
  t.match(shown.stdout, `  server      ${hostname()}, process `)
  const ofBuild = await runHere(['errors', dir, '--new', '--sort', 'count'])
  t.match(ofBuild, { code: 0, stdout: `1 failure, seen once. New in ${buildId}. Ledger: ` })
  t.match(await runHere(['errors', dir, '--release', 'v9']), { code: 0, stdout: /^No failure matches\. / })
  const none = { code: 0, stdout: /^No failure is new in v9\. / }
  t.match(await runHere(['errors', dir, '--new', '--release', 'v9']), none)
  const env = { HYDRANT_RELEASE: 'v9' }
  t.match(await runHere(['errors', dir, '--new'], env), none, 'says which release it has looked for')
  t.match(await runHere(['errors', dir, '--release', buildId]), { code: 0, stdout: '1 failure, seen once. Ledger' })
})

t.test('a ledger that is the file of another program is refused', async (t) => {
  const dir = await buildSite(t, { 'notes.txt': 'Buy bread.', 'shop.db': '' })
  const db = openDatabase(join(dir, 'shop.db'))
  db.exec('CREATE TABLE orders (id)')
  db.close()
  for (const [file, reason] of [
    ['notes.txt', 'it is not an SQLite database'],
    ['shop.db', 'it is an SQLite database with other tables, like "orders"'],
  ] as const) {
    const refused = {
      code: 1,
      stderr: `[HYD_LEDGER_FOREIGN] the file ${join(dir, file)} is not a ledger of Hydrant: ${reason}`,
    }
    t.match(await runHere(['errors', '--ledger', join(dir, file)]), { ...refused, stdout: /^$/ })
    const env = { HYDRANT_LEDGER: file }
    t.match(await runCli(['start', dir, '--port', '0'], { env }), refused)
    t.match(await runCli(['start', dir, '--port', '0', '--workers', '2'], { env }), refused)
  }
  t.equal(readFileSync(join(dir, 'notes.txt'), 'utf8'), 'Buy bread.')
})

t.test('an exception that has ended the process is in the ledger', async (t) => {
  const throws =
    "export default async (app) => app.get('/fail', () => void setTimeout(() => { throw new Error('later') }))\n"
  const dir = await buildSite(t, { 'server.ts': throws })
  const server = startCli(t, ['start', dir, '--port', '0'])
  const [, url] = await server.waitFor(/listening at (http:[^"]+)/)
  // The response may still be in transit when the process ends.
  await fetch(`${url}/fail`).catch(() => {})
  t.equal(await server.ended, 1)
  const fatal = server.lines.map((line) => JSON.parse(line)).find(({ level }) => level === 60)
  const { code, stdout } = await runHere(['errors', fatal.digest, dir, '--json'])
  t.equal(code, 0)
  t.match(JSON.parse(stdout), {
    phase: 'process',
    message: 'later',
    occurrences: [{ digest: fatal.digest, route: null }],
  })
})

t.test('loads neither the compiler nor the server', async (t) => {
  const node = refuseModules(
    /^(acorn|esbuild|typescript|chokidar|fastify|react-dom|pino)(\/|$)|\/scripts\/(build|dev)\//,
  )
  t.match(await runCli(['errors', failed], { node }), { code: 0, stderr: '', stdout: /^7F3KQ2M9 /m })
})

t.test('names the missing driver when no server could write the ledger', async (t) => {
  const node = [...WITHOUT_SQLITE, ...refuseModules(/^@photostructure\/sqlite$/)]
  const { code, stderr } = await runCli(['errors', t.testdir({})], { node })
  t.equal(code, 1)
  t.match(stderr, 'Error [HYD_LEDGER_SQLITE_MISSING] the ledger ')
  t.match(stderr, 'run "npm install @photostructure/sqlite@1"')
})

t.test('reads a ledger that another process has open', async (t) => {
  const ledger = await openLedger(failed, resolveOptions({}))
  t.teardown(() => ledger.close())
  t.equal((await ledger.list({})).length, 1)
  t.match(await runCli(['errors', failed]), { code: 0, stdout: /^7F3KQ2M9 /m })
})

t.test('a reader that stops early is not a failure', async (t) => {
  const child = spawn(process.execPath, [cliPath, 'errors', failed], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  t.strictSame({ code, stderr }, { code: 0, stderr: '' })
})
