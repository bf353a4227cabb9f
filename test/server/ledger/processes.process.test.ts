// Ledgers of servers as operators start them.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { WITHOUT_SQLITE } from '../../refuse-modules.ts'
import { startCli } from '../../scripts/run-cli.ts'
import { startSite } from '../../site-server.ts'
import { until } from '../../until.ts'
import { buildFiles, writeFiles } from '../served.ts'
import { openDatabase } from './open-database.ts'

const FAILING = {
  'pages/index.tsx': 'export default () => <p>page</p>\n',
  'pages/index.server.ts': "export function load() {\n  throw new Error('no price')\n}\n",
}
const dir = await buildFiles(join(t.testdir({}), 'site'), FAILING)
const home = installWithoutDrivers()

async function fail(port: number | string, times: number) {
  for (let time = 0; time < times; time++) {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } })
    if (!answer.headers.get('x-error-digest')) throw new Error(`It answered ${answer.status} without a digest.`)
    await answer.text()
  }
}

/** Reads a ledger as any other program does. */
function countIn(file: string): { count: number; integrity: unknown } {
  const db = openDatabase(file)
  try {
    // A file that has just been created is empty.
    const isMade = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'failures'").get() !== undefined
    const count = isMade ? db.prepare<[], number>('SELECT coalesce(sum(count), 0) FROM failures').pluck().get() : 0
    return { count: count ?? 0, integrity: db.pragma('integrity_check', { simple: true }) }
  } finally {
    db.close()
  }
}

t.test('a server that is killed in the middle of failures loses at most those of the last moment', async (t) => {
  const site = await startSite(t, { dir })
  await fail(site.port, 20)
  await until(() => countIn(site.ledger).count === 20)
  await fail(site.port, 5)
  await site.stop('SIGKILL')
  const { count, integrity } = countIn(site.ledger)
  t.equal(integrity, 'ok')
  t.ok(count >= 20 && count <= 25, `${count} of 25`)
})

t.test(
  'hydrant start opens the ledger as soon as it listens, and writes its failures when it shuts down',
  async (t) => {
    const site = await startSite(t, { dir })
    await until(() => readdirSync(join(site.ledger, '..')).includes('errors.db'))
    await fail(site.port, 3)
    await site.stop()
    t.strictSame(readdirSync(join(site.ledger, '..')), ['errors.db'], 'and leaves one file')
    t.strictSame(countIn(site.ledger), { count: 3, integrity: 'ok' })
  },
)

t.test('hydrant start reports a ledger that cannot be opened', async (t) => {
  const site = await startSite(t, { dir, env: { HYDRANT_LEDGER: '/proc/none/errors.db' } })
  const { level } = await site.waitForLine(({ msg }) => msg.startsWith('failures are kept in memory'))
  t.equal(level, 40)
})

t.test('without a driver of SQLite a server serves and keeps failures in memory', async (t) => {
  const site = await startWithoutDrivers(t, 'errors.db')
  await site.waitFor(
    /"failures are kept in memory until the server stops: .*errors\.db needs the package @photostructure\/sqlite, which cannot be loaded: .* run \\"npm install @photostructure\/sqlite@1\\"/,
  )
  await fail(site.port, 2)
  t.equal(await site.stop('SIGTERM'), 0)
})

t.test('without pg a server serves and keeps failures in memory', async (t) => {
  const site = await startWithoutDrivers(t, 'postgres://me:a-password@db/errors')
  await site.waitFor(/the ledger postgres:\/\/db\/errors needs the package pg, .*Run \\"npm install pg\\"/)
  await fail(site.port, 2)
  t.equal(await site.stop('SIGTERM'), 0)
})

t.test('hydrant dev keeps failures across builds, and writing them starts no build', async (t) => {
  const dir = t.testdir({})
  writeFiles(dir, FAILING)
  const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'])
  const [, port = ''] = await dev.waitFor(/ at http:\S+:(\d+)/)
  const file = join(dir, '.hydrant-dev-errors.db')
  await fail(port, 2)
  await until(() => readdirSync(dir).includes('.hydrant-dev-errors.db') && countIn(file).count === 2)
  writeFileSync(join(dir, 'pages/index.tsx'), 'export default () => <p>changed</p>\n')
  // The line names the changed file, which is the only one.
  await dev.waitFor(/^updated in [^(]*\(pages\/index\.tsx\)$/)
  await fail(port, 1)
  await until(() => countIn(file).count === 3)
  t.equal(await dev.stop('SIGTERM'), 0)
  t.strictSame(countIn(file), { count: 3, integrity: 'ok' })
})

/** Starts the command from the installation of `installWithoutDrivers`. */
async function startWithoutDrivers(t: Test, ledger: string) {
  const cli = startCli(t, ['start', dir, '--port', '0'], {
    cli: join(home, 'dist/scripts/cli.js'),
    env: { HYDRANT_LEDGER: ledger, NODE_OPTIONS: WITHOUT_SQLITE.join(' ') },
  })
  const [, port = ''] = await cli.waitFor(/Server listening at http:\S+:(\d+)/)
  return { ...cli, port }
}

/** Creates an installation that lacks the drivers of SQLite and PostgreSQL. */
function installWithoutDrivers(): string {
  // A folder whose parents contain no package.
  const home = mkdtempSync(join(tmpdir(), 'hydrant-without-'))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  cpSync('dist', join(home, 'dist'), { recursive: true, filter: (path) => !/^dist\/(?:test|bench|site)/.test(path) })
  cpSync('package.json', join(home, 'package.json'))
  mkdirSync(join(home, 'node_modules'))
  for (const name of readdirSync('node_modules')) {
    if (name !== '@photostructure' && name !== 'pg')
      symlinkSync(join(process.cwd(), 'node_modules', name), join(home, 'node_modules', name))
  }
  return home
}
