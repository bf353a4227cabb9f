// Live pages of `hydrant dev`, while their code changes.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { BUILD_HEADER } from '../../src/shared/wire/navigation-protocol.ts'
import { countRefreshes, openStream } from '../server/live/streams.ts'
import { HTML } from '../server/served.ts'
import { until } from '../until.ts'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'

const server = (version: string) => `export default async function server(app) {
  app.get('/publish/:topic', async ({ params }) => app.live.publish(params.topic))
  app.get('/version', async () => '${version}')
}
`

t.test('a page becomes live, and stays it while its code and that of the server change', async (t) => {
  const dir = createSite(t, {
    'pages/index.tsx': 'export default ({ data }) => <p>{data}</p>\n',
    'pages/index.server.ts': "export const load = () => 'first'\n",
    'server.ts': server('one'),
  })
  const dev = startCli(t, ['dev', dir, '--host', '127.0.0.1', '--port', '0'])
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  const at = (path: string) => new URL(path, url).href
  const read = async (path: string) => (await fetch(at(path), { headers: HTML })).text()
  const open = () => openStream(at('/'), { [BUILD_HEADER]: 'any' })
  t.equal((await open()).response.status, 204)
  t.notMatch(await read('/'), '"live":')

  writeFileSync(
    join(dir, 'pages/index.server.ts'),
    "export const live = () => ['board']\nexport const load = () => 'second'\n",
  )
  await until(async () => (await read('/')).includes('second'))
  t.match(await read('/'), /"live":"[\w-]{8}\.\d+"/)
  const stream = await open()
  t.equal(stream.response.status, 200)
  await until(stream.text)
  await read('/publish/board')
  await stream.refreshed(1)

  writeFileSync(
    join(dir, 'pages/index.server.ts'),
    "export const live = () => ['news']\nexport const load = () => 'third'\n",
  )
  await until(async () => (await read('/')).includes('third'))
  const other = await open()
  await until(other.text)
  await read('/publish/news')
  await other.refreshed(1)
  t.equal(countRefreshes(other.text()), 1)

  writeFileSync(join(dir, 'server.ts'), server('two'))
  await until(async () => (await read('/version')) === 'two')
  const late = await open()
  await until(late.text)
  await read('/publish/news')
  await late.refreshed(1)

  t.equal(await dev.stop('SIGINT'), 0, 'open streams do not hold it')
})
