import t from 'tap'
import { digestLine, serverSentence } from '../../src/shared/wire/error-messages.ts'
import { launchChromium } from '../browser/chromium.ts'
import { buildForBrowser } from '../server/served.ts'
import { ERROR, startSite } from '../site-server.ts'

const page = `
import { FailureBoundary } from 'hydrant/react'
import { Suspense, use } from 'react'
export default function Page({ data }) {
  return (
    <main>
      <FailureBoundary><Suspense fallback={<p>wait</p>}><Text promise={data.soon} /></Suspense></FailureBoundary>
      <section><FailureBoundary><Suspense fallback={<p>wait for ever</p>}><Endless /></Suspense></FailureBoundary></section>
      <FailureBoundary>{null}</FailureBoundary>
      <FailureBoundary><Suspense fallback={<p>wait</p>}><Recovering promise={data.soon} /></Suspense></FailureBoundary>
    </main>
  )
}
function Text({ promise }) { return <p id="text">{use(promise)}</p> }
function Endless() { return use(new Promise(() => {})) }
function Recovering({ promise }) {
  use(promise)
  if (typeof window === 'undefined') throw new Error('on the server only')
  return <p id="recovered">recovered</p>
}
`
const load = 'export const load = () => ({ soon: new Promise((resolve) => setTimeout(resolve, 50, "there")) })\n'

const dir = await buildForBrowser(t.testdir({}), {
  'pages/parts.tsx': page,
  'pages/parts.server.ts': load,
  'pages/whole.tsx': page,
  'pages/whole.server.ts': `export const stream = false\n${load}`,
})
const site = await startSite(t, { dir })
const chromium = await launchChromium(t)

const CASES = [
  { name: 'in parts, to a browser that is ready', path: '/parts', isSlow: false },
  { name: 'in parts, complete before the scripts come', path: '/parts', isSlow: true },
  { name: 'whole', path: '/whole', isSlow: false },
]

for (const { name, path, isSlow } of CASES) {
  t.test(`F15: only the part that never arrives is replaced: ${name}`, async (t) => {
    const open = await chromium.open()
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await open.page.route(/\/entry-/, async (route) => {
      if (isSlow) await held
      await route.continue()
    })
    const response = await open.goto(`http://127.0.0.1:${site.port}${path}`, 'commit')
    if (isSlow) await response.finished()
    letGo()
    await open.shown('section [role=alert]')
    await open.shown('#recovered')
    await site.settleLog()
    const lines = site.linesOf(response.headers()['x-request-id'] ?? '').filter(({ level }) => level >= ERROR)
    t.equal(lines.length, 2, 'a line for the deadline, and one for what the browser recovers from')
    const deadline = lines.find(({ pending }) => pending)
    t.same(
      (await open.read('section')).split('\n').filter(Boolean),
      [serverSentence('127.0.0.1'), digestLine(deadline?.digest ?? ''), 'Try again'],
      'with the digest of the deadline',
    )
    t.equal(await open.count('[role=alert]'), 1)
    t.equal(await open.read('#text'), 'there')
    t.same(open.errors, [], 'the console is quiet')
  })
}
