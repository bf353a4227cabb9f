// Each command once, as a process.

import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { buildApp } from '../build-app.ts'
import { runCli, startCli } from '../scripts/run-cli.ts'

const HTML = { headers: { accept: 'text/html' } }
const dir = await buildApp(t, 'smoke')

t.test('create writes a site that build builds', async (t) => {
  const folder = join(t.testdir(), 'my-site')
  const created = await runCli(['create', folder, '--template', 'minimal'])
  t.equal(created.code, 0, created.stderr)
  mkdirSync(join(folder, 'node_modules'))
  for (const [name, place] of Object.entries({
    hydrant: '.',
    react: 'node_modules/react',
    'react-dom': 'node_modules/react-dom',
  }))
    symlinkSync(resolve(place), join(folder, 'node_modules', name))
  const built = await runCli(['build', folder])
  t.equal(built.code, 0, built.stderr)
  t.match(built.stdout, /built in/)
  t.ok(existsSync(join(folder, '.hydrant/manifest.json')))
})

t.test('start serves a site, and errors leads from a digest to its line', async (t) => {
  const ledger = join(t.testdir(), 'errors.db')
  const env = { HYDRANT_LEDGER: ledger }
  const server = startCli(t, ['start', dir, '--port', '0', '--host', '127.0.0.1'], { env })
  const [, url = ''] = await server.waitFor(/listening at (http:[^"]+)/)
  t.match(await (await fetch(url, HTML)).text(), '<h1>Home</h1>')
  const failed = await fetch(`${url}/failing`, HTML)
  t.equal(failed.status, 500)
  const digest = failed.headers.get('x-error-digest') ?? ''
  t.equal(await server.stop('SIGTERM'), 0, 'it stops')
  const found = await runCli(['errors', digest, '--ledger', ledger])
  t.equal(found.code, 0, found.stderr)
  t.match(found.stdout, /the text of the failure/)
  t.match(found.stdout, /pages\/failing\.server\.ts:2/)
})

t.test('start without a build says what to do', async (t) => {
  const { code, stderr } = await runCli(['start', t.testdir({ pages: {} })])
  t.equal(code, 1)
  t.match(stderr, /HYD_BUILD_MISSING[\s\S]*hydrant build/)
})

t.test('workers share the requests, and one that is killed is replaced', async (t) => {
  const server = startCli(t, ['start', dir, '--port', '0', '--host', '127.0.0.1', '--workers', '2'], {
    env: { HYDRANT_LEDGER: 'false' },
  })
  const [, url = ''] = await server.waitFor(/listening at (http:[^"]+)/)
  t.equal((await fetch(`${url}/failing`, HTML)).status, 500)
  const [, pid = ''] = await server.waitFor(/"pid":(\d+).*the text of the failure/)
  process.kill(Number(pid), 'SIGKILL')
  await server.waitFor(/was killed by SIGKILL.*a replacement starts/)
  t.equal((await fetch(url, HTML)).status, 200)
  t.equal(await server.stop('SIGTERM'), 0)
})

t.test('a build that fails names the file and the line', async (t) => {
  const broken = t.testdir({ pages: { 'index.tsx': 'export default function Page() {\n  return <p>\n}\n' } })
  const { code, stderr } = await runCli(['build', broken])
  t.equal(code, 1)
  t.match(stderr, /pages\/index\.tsx:3/)
})

t.test('help and version', async (t) => {
  t.match((await runCli(['--help'])).stdout, /create[\s\S]*dev[\s\S]*build[\s\S]*start[\s\S]*errors/)
  t.match((await runCli(['--version'])).stdout, /^\d+\.\d+\.\d+$/m)
})
