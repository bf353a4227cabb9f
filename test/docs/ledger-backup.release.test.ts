// The commands with which `docs/failures.md` backs up a ledger, deletes it, and goes back.

import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import { fetchNode } from '../node-version.ts'
import { startPostgres } from '../postgres.ts'
import { runCli, startCli } from '../scripts/run-cli.ts'
import { buildFiles } from '../server/served.ts'
import { findPostgres } from '../tools.ts'
import { until } from '../until.ts'

const [, section = ''] = /\n(\*\*How to back it up\*\*.*)/s.exec(readFileSync('docs/failures.md', 'utf8')) ?? []
const commandsOf = (program: string) =>
  [...section.matchAll(/`([^`\n]+)`|^(node .*)$/gm)]
    .map(([, inText = '', inBlock = '']) => inText + inBlock)
    .filter((text) => text.startsWith(`${program} `))

const dir = await buildFiles(join(t.testdir({}), 'site'), {
  'pages/fail.tsx': "export default () => { throw new Error('no price') }\n",
})
// The first version that has `node:sqlite` without a flag.
const node = dirname(await fetchNode('22.13.0'))
const path = [node, findPostgres() ?? '', process.env.PATH].join(delimiter)

/** Starts the site, and has it write a failure into its ledger. Returns a question whether a ledger has the failure. */
async function writeFailure(t: Test, ledger: string) {
  const server = startCli(t, ['start', dir], { env: { PORT: '0', HYDRANT_LEDGER: ledger } })
  const [, url] = await server.waitFor(/listening at (http:[^"]+)/)
  const failed = await fetch(`${url}/fail`, { headers: { accept: 'text/html' } })
  const digest = failed.headers.get('x-error-digest') ?? ''
  const isIn = async (ledger: string) =>
    (await runCli(['errors', digest, '--ledger', ledger], { cwd: dir })).stdout.includes('no price')
  await until(() => isIn(ledger))
  const run = (command: string) =>
    execFileSync('sh', ['-ec', command], {
      cwd: dir,
      env: { ...process.env, PATH: path, HYDRANT_LEDGER: ledger },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  return { server, isIn, run }
}

t.test('a file, while the server runs', async (t) => {
  const file = join(dir, 'hydrant-errors.db')
  const copy = join(dir, 'copy.db')
  const { server, isIn, run } = await writeFailure(t, file)
  const commands = [...commandsOf('sqlite3'), ...commandsOf('node')]
  t.equal(commands.length, 2)
  for (const command of commands) {
    rmSync(copy, { force: true })
    run(command)
    t.ok(await isIn(copy), command)
  }
  await server.stop()
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
  renameSync(copy, file)
  const again = await writeFailure(t, file)
  t.ok(await isIn(file), 'the server continues with the copy')
  await again.server.stop()
})

t.test('tables in PostgreSQL, while the server runs', async (t) => {
  const ledger = startPostgres(t).createDatabase('backup')
  const { server, isIn, run } = await writeFailure(t, ledger)
  const [dump, restore, drop] = ['pg_dump', 'psql', 'DROP'].flatMap(commandsOf)
  run(`${dump}`)
  await server.stop()
  run(`psql --quiet "$HYDRANT_LEDGER" --command '${drop}'`)
  t.strictSame(await tablesIn(ledger), [])
  run(`${restore}`)
  t.ok(await isIn(ledger))
})

async function tablesIn(url: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query("SELECT tablename FROM pg_tables WHERE tablename LIKE 'hydrant%'")
  await client.end()
  return rows
}
