import t from 'tap'
import { digestLine, serverSentence } from '../../src/shared/wire/public-error.ts'
import { launchChromium } from '../browser/chromium.ts'
import { buildApp } from '../build-app.ts'
import { ERROR, startSite } from '../site-server.ts'

const dir = await buildApp(t, 'streams')
const site = await startSite(t, { dir })
const chromium = await launchChromium(t)

const CASES = [
  { name: 'in parts, to a browser that is ready', path: '/soon/parts', isSlow: false },
  { name: 'in parts, complete before the scripts come', path: '/soon/parts', isSlow: true },
  { name: 'whole', path: '/soon/whole', isSlow: false },
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
