import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createSite } from './create-site.ts'
import { runCli, startCli } from './run-cli.ts'

t.test('hydrant start reads the files', async (t) => {
  const dir = createSite(t, {
    'pages/index.tsx': 'export default () => <p>page</p>\n',
    'pages/index.server.ts': 'export const load = () => process.env.SHOP_NAME\n',
    '.env': 'SHOP_NAME=Seven Seas\n',
  })
  t.match(await runCli(['build', dir]), { code: 0 })
  const server = startCli(t, ['start', dir, '--port', '0', '--admin', 'false'])
  const [, url = ''] = await server.waitFor(/(http:\/\/127\.0\.0\.1:\d+)/)
  t.equal(await (await fetch(url, { headers: { accept: 'application/json' } })).json(), 'Seven Seas')
})

t.test('hydrant dev says that a file cannot be read, and continues when it can', async (t) => {
  const dir = createSite(t, { 'pages/index.tsx': 'export default () => <p>page</p>\n' })
  const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'])
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  await dev.waitFor(/^ready in/)
  mkdirSync(join(dir, '.env.local'))
  writeFileSync(join(dir, '.env'), 'COLOR=blue\n')
  await dev.waitFor(/the environment variables in .*\.env\.local cannot be read/)
  t.match(await (await fetch(url)).text(), 'HYD_ENV_UNREADABLE')
  rmSync(join(dir, '.env.local'), { recursive: true })
  writeFileSync(join(dir, '.env'), 'COLOR=red\n')
  await dev.waitFor(/^updated/)
  t.match(await (await fetch(url)).text(), '<p>page</p>')
})
