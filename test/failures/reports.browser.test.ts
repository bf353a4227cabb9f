import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { launchChromium, type OpenPage, PUBLIC_HOST } from '../browser/chromium.ts'
import { DIGEST_PATTERN } from '../digest-pattern.ts'
import { startNginx } from '../proxy/nginx.ts'
import { ERROR, type LogLine, startSite } from '../site-server.ts'

// F18 cuts the connection after four seconds.
const site = await startSite(t, { env: { HYDRANT_TIMEOUTS_RENDER_MS: '20000' } })
const chromium = await launchChromium(t)
const { tlsPort } = await startNginx(t, site.port)
const ways = [
  { name: 'directly', origin: `http://127.0.0.1:${site.port}`, host: '127.0.0.1' },
  // Only over https do browsers themselves say that the request comes from the site.
  { name: 'through a proxy that ends TLS', origin: `https://${PUBLIC_HOST}:${tlsPort}`, host: PUBLIC_HOST },
]
type Way = (typeof ways)[number]

interface Expectation {
  type: string
  message: RegExp
  route: string
  /** The first frame: a function of the site's file, at a line that contains the text. */
  frame?: { function: string; file: string; line: RegExp }
  isRecovered?: true
}

/** Runs `work`. Resolves with the one line that a browser's report caused. */
async function reportOf(work: () => Promise<void>, message: RegExp, host: string): Promise<LogLine> {
  await work()
  return site.waitForLine((line) => line.side === 'client' && line.host === host && message.test(line.msg))
}

function check(t: Test, line: LogLine, way: Way, expected: Expectation) {
  const { route, type, message, frame } = expected
  t.match(line.digest, DIGEST_PATTERN)
  t.match(line, { level: ERROR, side: 'client', phase: 'client', method: 'GET', route, url: route, host: way.host })
  t.equal(line.isRecovered, expected.isRecovered)
  t.equal(line.err?.type, type)
  t.match(line.err?.message, message)
  if (!frame) return
  const first = line.err?.stack.split('\n')[1] ?? '(none)'
  const [, name, file, number] = /^ {4}at (?:async )?(.*) \(([^()]+):(\d+):\d+\)$/.exec(first) ?? []
  t.equal(name, frame.function, first)
  t.equal(file, frame.file)
  const source = readFileSync(join('site', frame.file), 'utf8').split('\n')
  t.match(source[Number(number) - 1], frame.line)
}

async function breakIt(open: OpenPage, way: Way, path: string) {
  await open.goto(way.origin + path, 'commit')
  await open.hydrated()
  await open.click('#break')
}

for (const way of ways) {
  t.test(way.name, async (t) => {
    const open = await chromium.open()

    t.test('F7: reports a component that throws', async (t) => {
      const message = /SECRET-MARKER f7/
      const line = await reportOf(() => breakIt(open, way, '/failures/f7/fail'), message, way.host)
      const file = 'pages/failures/f7/fail.tsx'
      const frame = { function: 'Broken', file, line: /SECRET-MARKER f7/ }
      check(t, line, way, { type: 'Error', message, route: '/failures/f7/fail', frame })
    })

    t.test('F8: reports an event handler that throws', async (t) => {
      const message = /SECRET-MARKER f8:/
      const line = await reportOf(() => breakIt(open, way, '/failures/f8/fail'), message, way.host)
      const file = 'pages/failures/f8/fail.tsx'
      const frame = { function: 'breakDown', file, line: /SECRET-MARKER f8:/ }
      check(t, line, way, { type: 'TypeError', message, route: '/failures/f8/fail', frame })
      await open.click('#counter')
      t.equal(await open.read('#counter'), 'Count: 1', 'the page works')
      t.equal(await open.count('[role=alert]'), 0)
    })

    t.test('F8b: reports an unhandled rejection', async (t) => {
      const message = /SECRET-MARKER f8b/
      const line = await reportOf(() => breakIt(open, way, '/failures/f8b/fail'), message, way.host)
      const file = 'pages/failures/f8b/fail.tsx'
      const frame = { function: 'breakLater', file, line: /SECRET-MARKER f8b/ }
      check(t, line, way, { type: 'RangeError', message, route: '/failures/f8b/fail', frame })
    })

    t.test('F9: reports a hydration mismatch, at the component that does not match', async (t) => {
      const message = /Hydration failed: the (?:text|HTML) of the server differs .* \(React error 418: /
      const work = async () => void (await open.goto(`${way.origin}/failures/f9/fail`, 'commit'))
      const line = await reportOf(work, message, way.host)
      const file = 'pages/failures/f9/fail.tsx'
      const route = '/failures/f9/fail'
      check(t, line, way, { type: 'Error', message, route, isRecovered: true })
      t.match(
        line.err?.stack,
        new RegExp(`^ {4}at (?:\\S+ \\()?${file}:\\d+:\\d+\\)?$`, 'm'),
        'React says no more than a name',
      )
    })

    t.test('F11: reports a missing script after it was tried again', async (t) => {
      const message = /imported module.*later-part-OLDBUILD/
      const work = async () => void (await open.goto(`${way.origin}/failures/f11/fail`, 'commit'))
      const line = await reportOf(work, message, way.host)
      check(t, line, way, { type: 'TypeError', message, route: '/failures/f11/fail' })
      t.match(line.err?.stack, /^ {4}at (?:\S+ \()?pages\/failures\/f11\/fail\.tsx:\d+:\d+\)?$/m)
    })

    t.test('F18: a connection that is cut', async (t) => {
      const message = /The connection closed/
      const work = async () => void (await open.goto(`${way.origin}/failures/f18/fail`, 'commit'))
      const line = await reportOf(work, message, way.host)
      check(t, line, way, { type: 'Error', message, route: '/failures/f18/fail' })
    })
  })
}
