// A real server under too much load.

import { join } from 'node:path'
import t from 'tap'
import { createHttpClient } from '../../http-client.ts'
import { startSite } from '../../site-server.ts'
import { until } from '../../until.ts'
import { buildFiles, HTML } from '../served.ts'

const dir = await buildFiles(join(t.testdir({}), 'site'), {
  'pages/busy.tsx': 'export default function Page() {\n  return <p>done</p>\n}\n',
  // It blocks the event loop, and leaves the processor to the test.
  'pages/busy.server.ts':
    'export function load() {\n  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)\n  return null\n}\n',
})

const ASKERS = 30

t.test('an overloaded server refuses some requests, and its health check still passes', async (t) => {
  const env = { HYDRANT_LIMITS_MAX_EVENT_LOOP_DELAY_MS: '40', HYDRANT_ADMIN: '0', HYDRANT_TIMEOUTS_LOAD_MS: '60000' }
  const { port, waitForLine, lines } = await startSite(t, { dir, env })
  const { msg } = await waitForLine((line) => line.msg.startsWith('the console is at'))
  const visitors = createHttpClient(t, { maxSockets: ASKERS })
  const balancer = createHttpClient(t, { keepAlive: false })
  let isOver = false
  let refused = 0
  let served = 0
  const wrong: unknown[] = []
  const visiting = Array.from({ length: ASKERS }, async () => {
    while (!isOver) {
      const { status, headers, body } = await visitors.send({ port, path: '/busy', headers: HTML })
      if (status === 200) served++
      else refused++
      const isBusy = status === 503 && headers['retry-after'] === '1' && body.includes('The server is busy.')
      if (status !== 200 && !isBusy) wrong.push({ status, headers, body })
    }
  })
  let asked = 0
  await until(async () => {
    for (const name of ['live', 'ready']) {
      const { status } = await balancer.send({ port, path: `/_hydrant/${name}` })
      t.equal(status, 200, name)
    }
    return ++asked >= 5 && refused > 0 && served > 0
  })
  isOver = true
  await Promise.all(visiting)
  t.strictSame(wrong, [])
  await until(async () => {
    const { status } = await visitors.send({ port, path: '/busy', headers: HTML })
    if (status === 503) refused++
    return status === 200
  })
  const metrics = await (await fetch(`${/http:\S+/.exec(msg)?.[0]}/metrics`)).text()
  t.match(metrics, `hydrant_shed_total{reason="event_loop"} ${refused}\n`)
  const [warning] = lines.filter(({ level }) => level > 30)
  t.match(warning, { level: 40, statusCode: 503, msg: /: 1 request, because the event loop is more than 40 ms late / })
})
