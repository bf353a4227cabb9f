import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { clientSentence } from '../../src/shared/wire/public-error.ts'
import { launchChromium } from '../browser/chromium.ts'
import { mapConcurrently } from '../http-client.ts'
import { shareSite } from '../site-server.ts'

/** What happens to the visitor's connection in the middle of a document. */
type Cut = 'destroyed' | 'silent' | 'ended' | 'late' | 'whole'

const CUTS: { cut: Cut; name: string }[] = [
  { cut: 'destroyed', name: 'a connection that is cut' },
  { cut: 'silent', name: 'a connection on which nothing more comes' },
  { cut: 'ended', name: 'a proxy that ends the document as if it were complete' },
]

const PAGES = [
  { path: '/failures/f15-stream/fail', awaited: 'a component' },
  { path: '/failures/f15-deferred/fail', awaited: 'a deferred promise' },
]

const site = await shareSite(t)
const chromium = await launchChromium(t)

t.test(
  'F18: where content was pending when the document was cut, the page shows the client-side sentence',
  async (t) => {
    const cells = CUTS.flatMap((way) => PAGES.map((page) => ({ ...way, ...page })))
    const seen = await mapConcurrently(cells, cells.length, async ({ cut, path }) => {
      const open = await chromium.open()
      const proxy = await startProxy(t, cut)
      await open.goto(`http://127.0.0.1:${proxy.port}${path}`, 'commit')
      // Content that the browser has not parsed by then is lost with the connection.
      await open.hydrated()
      proxy.cut()
      await open.shown('main [role=alert]')
      await open.click('#counter')
      const alerts = await open.evaluate(
        () => [...document.querySelectorAll<HTMLElement>('[role=alert]')].map((alert) => alert.innerText),
        null,
      )
      return { alerts, main: await open.read('main'), counted: await open.read('#counter'), errors: open.errors }
    })
    for (const [index, { name, awaited }] of cells.entries()) {
      await t.test(`${awaited}, ${name}`, async (t) => {
        const { alerts = [], main = '', counted, errors = [] } = seen[index] ?? {}
        t.same(
          alerts.map((text) => text.split('\n').filter(Boolean)),
          [[clientSentence('127.0.0.1'), 'Try again']],
          'once, word for word, without a digest',
        )
        t.notMatch(main, /Waiting for/, 'in the place of what was awaited')
        t.equal(counted, 'Count: 1', 'the rest of the page works')
        t.match(errors.join(), /The connection closed before/, 'the console says why')
      })
    }
  },
)

t.test('a complete document is not treated as cut', async (t) => {
  const open = await chromium.open()
  const { port } = await startProxy(t, 'whole')
  await open.goto(`http://127.0.0.1:${port}/`, 'load')
  await open.hydrated()
  t.equal(await open.count('[role=alert]'), 0)
  t.same(open.errors, [], 'the console is quiet')
})

t.test('a counter that has counted before a part fails keeps its count', async (t) => {
  const open = await chromium.open()
  const proxy = await startProxy(t, 'late')
  // This part fails at the deadline.
  await open.goto(`http://127.0.0.1:${proxy.port}/failures/f15-deferred/fail`, 'commit')
  await open.hydrated()
  await open.click('#counter')
  t.equal(await open.read('#counter'), 'Count: 1')
  t.equal(await open.count('[role=alert]'), 0, 'nothing has failed yet')
  t.match(await open.read('main'), 'Waiting for the promise…')
  proxy.cut()
  await open.shown('[role=alert]')
  t.equal(await open.read('#counter'), 'Count: 1')
  await open.click('#counter')
  t.equal(await open.read('#counter'), 'Count: 2')
  t.notMatch(await open.read('main'), 'Waiting for the promise…')
})

/**
 * Forwards everything until a document has announced that it streams, then waits for `cut`: the rest is lost, or comes as late
 * as that.
 */
async function startProxy(t: Test, cut: Cut): Promise<{ port: number; cut(): void }> {
  let cutOff = () => {}
  const proxy = createServer(async (asked, answer) => {
    const { url = '/', method = 'GET' } = asked
    // The proxy must be able to read the text that it cuts.
    const { 'accept-encoding': _, ...headers } = asked.headers
    const outgoing = request({ port: site.port, path: url, method, headers })
    asked.pipe(outgoing)
    // A page may still send a report while the site is being stopped.
    const response: unknown[] | null = await once(outgoing, 'response').catch(() => null)
    if (!response) return void answer.destroy()
    const [incoming] = response as [IncomingMessage]
    answer.writeHead(incoming.statusCode ?? 0, incoming.headers)
    let text = ''
    incoming.on('data', (part: Buffer) => {
      text += part
      answer.write(part)
      if (cut === 'whole' || !text.includes('"open"') || incoming.headers['content-length']) return
      if (cut === 'late') {
        incoming.pause()
        cutOff = () => incoming.removeAllListeners('data').pipe(answer)
        return
      }
      incoming.destroy()
      if (cut !== 'silent') cutOff = () => (cut === 'ended' ? answer.end() : answer.destroy())
    })
    incoming.on('end', () => answer.end())
    incoming.on('error', () => {})
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  // The cast is safe because a server that listens on a port has an address with a port.
  return { port: (proxy.address() as AddressInfo).port, cut: () => cutOff() }
}
