// The streams of live pages through each of the proxies whose configuration is in docs/proxies.

import t from 'tap'
import { type Checks, findDifferences } from '../differences.ts'
import { navigationHeaders } from '../server/lines.ts'
import { until } from '../until.ts'
import { type DocumentedProxy, PROXIES, startDocumented } from './documented.ts'
import { buildProxiedSite } from './proxied-site.ts'
import { startUpstreams } from './upstreams.ts'
import { openVisitor, type Visitor } from './visitor.ts'

const dir = await buildProxiedSite(t)
const upstreams = await startUpstreams(t, dir)
const { servers } = upstreams

/** The path below which visitors see the site, the path that arrives, and the processes. */
const PLACES = [
  { name: 'at the root, by two processes', base: '', mounted: '', answering: [servers.first, servers.second] },
  { name: 'below a path that is passed on', base: '/shop', mounted: '/shop', answering: [servers.shop] },
  { name: 'below a path that is taken away', base: '/docs', mounted: '', answering: [servers.docs] },
]
type Place = (typeof PLACES)[number]

const HEADERS = { ...navigationHeaders(dir), accept: 'text/event-stream' }

/** Longer than the time between two heartbeats. */
const IDLE_S = 35
/** They take longer than `IDLE_S`. */
const HEARTBEATS = 3
const TIMEOUTS = ['proxy_read_timeout 60s', 'timeout client 60s', 'timeout server 60s', 'ProxyTimeout 60']

for (const [index, proxy] of PROXIES.entries()) {
  t.test(`${proxy.name}: events arrive at once, and the server learns that the visitor has left`, async (t) => {
    const { httpsPort } = await startDocumented(t, proxy, upstreams)
    const visitor = await openVisitor(t, httpsPort, `127.0.3.${index + 1}`)
    t.equal(visitor.protocol, 'h2')
    const differences = await findDifferences(
      PLACES,
      ({ name }) => name,
      (checks, place) => checkEvents(checks, visitor, place, proxy),
    )
    t.strictSame(differences, {})
  })
}

t.test('heartbeats keep streams open for longer than each proxy lets them be silent', async (t) => {
  const silences = PROXIES.map(async (proxy, index) => {
    const { httpsPort } = await startDocumented(t, shorten(proxy), upstreams)
    const visitor = await openVisitor(t, httpsPort, `127.0.4.${index + 1}`)
    let beats = 0
    let hasEvent = false
    await visitor
      .ask({
        path: '/live?_hydrant',
        headers: HEADERS,
        onText(text) {
          if (beats < HEARTBEATS) {
            // The first one is the position at the beginning. Events that the other visitors cause are none.
            beats = text.split(/id: \S+\n\n/).length - 2
            if (beats === HEARTBEATS) void publish(visitor, PLACES[0] as Place)
          }
          hasEvent = beats === HEARTBEATS && text.includes('data: refresh')
          return !hasEvent
        },
      })
      .catch(() => {})
    return [proxy.name, beats, hasEvent]
  })
  t.strictSame(
    await Promise.all(silences),
    PROXIES.map(({ name }) => [name, HEARTBEATS, true]),
  )
})

/** Returns a proxy with a shorter time for silence. Caddy has none. */
function shorten(proxy: DocumentedProxy): DocumentedProxy {
  return {
    ...proxy,
    change: (text) =>
      TIMEOUTS.reduce((rest, setting) => rest.replace(setting, setting.replace('60', String(IDLE_S))), text),
  }
}

async function checkEvents(checks: Checks, visitor: Visitor, place: Place, { name, noticesLeaving }: DocumentedProxy) {
  let openedWith = ''
  let hasEvent = false
  // Rejects with some proxies, because the visitor leaves.
  const ended = visitor.ask({
    path: `${place.base}/live?_hydrant`,
    headers: HEADERS,
    onText(text) {
      if (openedWith === '') {
        openedWith = text
        void publish(visitor, place)
      }
      hasEvent = text.includes('data: refresh')
      return !hasEvent
    },
  })
  await ended.catch(() => {})
  checks.match(openedWith, /^retry: \d+\nid: [\w-]{8}\.\d+\n\n$/, 'the stream is open before the first event')
  checks.equal(hasEvent, true, 'then comes the event')
  if (noticesLeaving) await until(async () => (await countListeners(visitor, place)) === 0)
  else checks.equal(name, 'Apache', 'which needs a byte to notice')
}

// Each process has its own pages. That on a socket file is only reached through the proxy.

const ask = ({ ask }: Visitor, { base, answering }: Place, path: string): Promise<string[]> =>
  base === ''
    ? Promise.all(answering.map(({ port }) => fetch(`http://127.0.0.1:${port}${path}`).then((got) => got.text())))
    : ask({ path: base + path }).then(({ body }) => [body])

const publish = (visitor: Visitor, place: Place) => ask(visitor, place, '/publish')

const countListeners = async (visitor: Visitor, place: Place) =>
  (await ask(visitor, place, '/listeners')).reduce((sum, count) => sum + Number(count), 0)
