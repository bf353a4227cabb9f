// Two processes of `hydrant dev` for the same site.

import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isDevProcess } from '../../scripts/dev/engine/dev-manifest.ts'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'

const FILES = {
  'pages/index.server.ts': `export const load = async ({ request }) => {
  if (request.query.fail === undefined) return 'loaded'
  throw new Error('late')
}
`,
  'server.ts': `export default async function server(app) {
  app.get('/later', async () => (await import('./lib/later.ts')).text)
}
`,
  'lib/later.ts': "export const text = 'later'\n",
}

t.test('a second "hydrant dev" leaves the first one its modules and source maps', async (t) => {
  const dir = createSite(t, FILES)
  const foldersOf = (pids: readonly number[]) => pids.map((pid) => `.hydrant-dev-${pid}`).sort()
  const folders = () => readdirSync(dir).filter((name) => /^\.hydrant-dev-\d+$/.test(name))
  const start = async () => {
    const dev = startCli(t, ['dev', dir, '--host', '127.0.0.1', '--port', '0'])
    const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
    const get = async (path: string) => {
      const response = await fetch(new URL(path, url), { headers: { accept: 'text/html' } })
      return { status: response.status, text: await response.text() }
    }
    t.equal((await get('/')).status, 200)
    return { ...dev, get }
  }
  const first = await start()
  const second = await start()
  t.strictSame(folders(), foldersOf([first.pid, second.pid]))
  t.match(await first.get('/later'), { status: 200, text: 'later' })
  t.equal((await first.get('/?fail')).status, 500)
  await first.waitFor(/^load \(pages\/index\.server\.ts:3:9\)$/)

  t.equal(await second.stop(), 0)
  t.strictSame(folders(), foldersOf([first.pid]), 'it removes its own folder')
  await first.stop('SIGKILL')
  t.strictSame(folders(), foldersOf([first.pid]))
  mkdirSync(join(dir, '.hydrant-dev-notes'))
  const third = await start()
  t.strictSame(folders(), foldersOf([third.pid]), 'and those of ended processes')
  t.ok(existsSync(join(dir, '.hydrant-dev-notes')), 'but no others')
  t.ok(isDevProcess(dir, third.pid))
  t.notOk(isDevProcess(dir, process.pid))
})
