import { type ClientRequest, request } from 'node:http'
import t from 'tap'
import { launchChromium } from '../browser/chromium.ts'
import { createHttpClient } from '../http-client.ts'
import { INFO, type LogLine, startSite } from '../site-server.ts'
import { until } from '../until.ts'
import { openWays, type Way } from './ways.ts'

const SLOW = '/failures/f16/fail'
const ENDLESS_LOAD = '/failures/f15/fail'

const LEFT = { level: INFO, msg: 'the client disconnected before the response was complete' }
const TOLD = { level: 20, msg: 'the visitor has gone; no more parts are made' }

const site = await startSite(t, {
  env: {
    LOG_LEVEL: 'debug',
    HYDRANT_TIMEOUTS_LOAD_MS: '8000',
    // A busy browser leaves later than within the 1.5 seconds of other tests.
    HYDRANT_TIMEOUTS_RENDER_MS: '8000',
    HYDRANT_ADMIN: '0',
  },
})
const { msg } = await site.waitForLine((line) => line.msg.startsWith('the console is at'))
const metrics = `${/http:\S+/.exec(msg)?.[0]}/metrics`
const ways = await openWays(t, site)
const http = createHttpClient(t)

t.test('F16: when the visitor leaves a stream, loads and rendering stop, and one info line says so', async (t) => {
  const reqIds = await Promise.all(ways.map((way) => leaveAtFirstPart(way, SLOW)))
  for (const reqId of reqIds) await site.waitForLine((line) => line.reqId === reqId && line.level === INFO)
  await waitBeyondDeadline(SLOW)
  for (const [index, way] of ways.entries()) {
    await t.test(way.name, async (t) => {
      const lines = site.linesOf(reqIds[index] ?? '')
      t.same(
        lines.map(levelAndText),
        [LEFT, TOLD],
        'load is told through its signal, and nothing more is said, also when the deadline has passed',
      )
      t.match(lines[0], { route: SLOW, method: 'GET', url: SLOW })
      t.notOk(
        lines.some((line) => line.digest),
        'it is no failure',
      )
    })
  }
})

t.test('F16: when the visitor leaves before the load has returned, its deadline is not reported', async (t) => {
  const waiting = ways.map((way) => ({ way, outgoing: ask(way, addressOf(way)) }))
  await until(async () => (await countInFlight()) === waiting.length)
  for (const { outgoing } of waiting) outgoing.destroy()
  for (const { way } of waiting) await site.waitForLine((line) => line.url === addressOf(way))
  await waitBeyondDeadline(ENDLESS_LOAD)
  for (const { way } of waiting) {
    const { reqId = '' } = await site.waitForLine((line) => line.url === addressOf(way))
    t.same(site.linesOf(reqId).map(levelAndText), [LEFT], way.name)
  }

  function addressOf(way: Way): string {
    return `${ENDLESS_LOAD}?port=${way.port}`
  }
})

t.test('F16: a browser that navigates leaves the previous page', async (t) => {
  const chromium = await launchChromium(t)
  const origin = `http://127.0.0.1:${site.port}`
  for (const javaScript of [true, false]) {
    const open = await chromium.open({ javaScript })
    const response = await open.goto(`${origin}${SLOW}`, 'commit')
    const reqId = response.headers()['x-request-id'] ?? ''
    await open.goto(`${origin}/start`, 'commit')
    await site.waitForLine((line) => line.reqId === reqId)
    await waitBeyondDeadline(SLOW)
    t.same(site.linesOf(reqId).map(levelAndText), [LEFT, TOLD], javaScript ? 'with JavaScript' : 'without JavaScript')
  }
})

t.test('a visitor who has the whole response has not left', async (t) => {
  for (const { port, name } of ways) {
    for (const path of ['/start', '/', '/no/slash/']) {
      const { headers } = await http.send({ port, path })
      await site.settleLog()
      const lines = site.linesOf(String(headers['x-request-id'])).filter(({ msg }) => msg !== 'page cache: hit')
      t.same(lines, [], `${path}, ${name}`)
    }
  }
})

function levelAndText({ level, msg }: LogLine) {
  return { level, msg }
}

function ask(way: Way, path: string): ClientRequest {
  const headers = { host: `${way.address}:${way.port}` }
  const outgoing = request({ host: '127.0.0.1', port: way.port, path, headers })
  // The request is going to be cut.
  outgoing.on('error', () => {})
  outgoing.end()
  return outgoing
}

/** Disconnects at the first part of the document. Resolves with the request's id. */
function leaveAtFirstPart(way: Way, path: string): Promise<string> {
  return new Promise((resolve) => {
    const outgoing = ask(way, path)
    outgoing.on('response', (incoming) => {
      incoming.on('error', () => {})
      incoming.once('data', () => {
        outgoing.destroy()
        resolve(String(incoming.headers['x-request-id']))
      })
    })
  })
}

/** Returns the number of requests that have begun and have no response. */
async function countInFlight(): Promise<number> {
  return Number(/^hydrant_requests_in_flight (\d+)$/m.exec(await (await fetch(metrics)).text())?.[1])
}

/**
 * Requests a page that reaches its deadline. When the response arrives, the deadline of an earlier request has
 * passed.
 */
async function waitBeyondDeadline(path: string) {
  await http.send({ port: site.port, path })
  await site.settleLog()
}
