import { join } from 'node:path'
import t from 'tap'
import { createServer } from '../../src/server/create-server.ts'
import { createLog, HTML } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'

// The benchmark's project refers to that of the tests, so the tests load its modules without their types.
const load = (module: string) => import(new URL(`../../bench/${module}.js`, import.meta.url).href)
const { TRACKER_APP } = await load('tracker/sources')
const { SITE_PACKAGES, writeApp } = await load('write-app')

const TEST_DATA = `const data = Array.from({ length: 1000 }, (_, id) => ({ id: String(id), name: 'name' + id }))
export const testData = () => new Promise((resolve) => setTimeout(() => resolve(data), 0))
`

t.test('the app for framework-tracker has the pages of the other apps', async (t) => {
  const packages = t.testdir({ testdata: { src: { 'ssr.ts': TEST_DATA } } })
  const dir = join(packages, 'app-hydrant')
  writeApp(dir, TRACKER_APP, SITE_PACKAGES)
  await buildSharing({ dir })
  const { logger } = createLog()
  const app = await createServer({ dir, logger })
  t.teardown(() => app.close())
  const bodyOf = async (url: string) => (await app.inject({ url, headers: HTML })).body

  const row = '<tr><td>999</td><td>name999</td>'
  const link = '<td><a href="/server-side-rendered/999">View →</a></td>'
  for (const [url, last] of [
    ['/', `${row}${link}</tr>`],
    ['/server-side-rendered', `${row}${link}</tr>`],
    ['/ssr-throughput', `${row}</tr>`],
  ] as const) {
    const body = await bodyOf(url)
    t.equal(body.match(/<tr>/g)?.length, 1_000, url)
    t.match(body, `${last}</tbody></table>`)
  }
  t.match(await bodyOf('/server-side-rendered/7'), '<p id="detail-id">7</p>')
  for (const url of ['/client-side-rendered', '/client-side-rendered/7']) {
    const body = await bodyOf(url)
    t.match(body, '</html>')
    t.notMatch(body, /<tr>|<p id/, `${url} has its contents in the browser only`)
  }
})
