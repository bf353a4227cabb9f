// Workers that serve prerendered pages: all of them hear of an invalidation, also one that starts later.

import t from 'tap'
import { createHttpClient } from '../../../http-client.ts'
import { startSite } from '../../../site-server.ts'
import { until } from '../../../until.ts'
import { buildFiles, HTML } from '../../served.ts'

const dir = await buildFiles(t.testdir({}), {
  'pages/[id].tsx': 'export default ({ data }) => <p>rendered by {data.pid}.</p>\n',
  'pages/[id].server.ts': `export const prerender = () => ['/a', '/b']
export const load = () => ({ pid: process.pid })
`,
  'server.ts': `export default async function server(app) {
  app.addHook('onSend', async (request, reply) => void reply.header('x-pid', process.pid))
  app.get('/invalidate', async () => {
    await app.pageCache.invalidate({ path: '/a' })
    return 'done'
  })
}
`,
})
// The order of the calls decides, so a slow machine must not end them early.
const { send } = createHttpClient(t, { keepAlive: false })

t.test('workers serve the pages of the build until they are invalidated', async (t) => {
  const { port, waitForLine } = await startSite(t, { dir, env: { HYDRANT_WORKERS: '2' } })
  const visit = async (path: string) => {
    const { body, headers } = await send({ port, path, headers: HTML })
    return { by: Number(/rendered by <!-- -->(\d+)/.exec(body)?.[1]), pid: Number(headers['x-pid']) }
  }
  /** Visits a page until this many workers have responded. Returns who has rendered it for each of them. */
  const visitAll = async (path: string) => {
    const seen = new Map<number, number>()
    await until(async () => {
      const { pid, by } = await visit(path)
      return seen.set(pid, by).size === 2
    })
    return seen
  }
  const before = await visitAll('/a')
  const workers = [...before.keys()]
  const [builder, ...others] = new Set(before.values())
  t.equal(others.length, 0)
  t.notOk(workers.includes(builder ?? 0), 'both serve what the build has rendered')

  await send({ port, path: '/invalidate', headers: HTML })
  await until(async () => [...(await visitAll('/a')).values()].every((by) => by !== builder))
  t.strictSame([...new Set((await visitAll('/b')).values())], [builder])

  const [killed = 0] = workers
  process.kill(killed, 'SIGKILL')
  await waitForLine(({ msg, pid }) => /^worker \d is ready/.test(msg) && !workers.includes(pid ?? 0))
  const after = await visitAll('/a')
  t.notOk([...after.values()].includes(builder ?? 0), 'a worker that starts later knows of the invalidation')
  t.strictSame([...new Set((await visitAll('/b')).values())], [builder])
})
