import t from 'tap'
import { launchChromium, type OpenPage } from '../browser/chromium.ts'
import { ERROR, shareSite } from '../site-server.ts'

const PATHS = [
  '/failures/f1/fail',
  '/failures/f2/fail',
  '/failures/f14/fail',
  '/failures/own/fail',
  '/failures/f13/string?at=render&with=a%20blank',
]

const site = await shareSite(t)
const chromium = await launchChromium(t)

t.test('Try again loads the page again', async (t) => {
  for (const javaScript of [true, false]) {
    const open = await chromium.open({ javaScript })
    for (const path of PATHS) {
      await t.test(`${path}, ${javaScript ? 'with' : 'without'} JavaScript`, async (t) => {
        const origin = `http://127.0.0.1:${site.port}`
        const first = await load(open, `${origin}${path}`, javaScript)
        const address = new URL(open.page.url())
        const { page } = open
        const [response] = await Promise.all([
          page.waitForResponse((answer) => answer.request().isNavigationRequest()),
          page.waitForEvent('load'),
          open.click('[role=alert] button'),
        ])
        const second = response.headers()['x-request-id']
        t.not(second, first, 'a new request arrives')
        const [before, after] = [await errorOf(first), await errorOf(second)]
        t.equal(after?.method, 'GET')
        const asked = new URL(after?.url ?? '', origin)
        t.equal(asked.pathname, address.pathname, 'for the same page')
        t.same([...asked.searchParams], [...address.searchParams], 'with the same query')
        const [fingerprint, occurrence] = before?.digest?.split('-') ?? []
        t.equal(after?.digest?.split('-')[0], fingerprint, 'the same failure')
        t.not(after?.digest?.split('-')[1], occurrence, 'at another time')
        await open.shown('[role=alert]')
        t.match(await open.read('[role=alert]'), String(after?.digest), 'which is what is shown then')
      })
    }
  }
})

t.test('Try again can be reached and used by keyboard', async (t) => {
  const open = await chromium.open()
  const first = await load(open, `http://127.0.0.1:${site.port}/failures/f1/fail`, true)
  const { page } = open
  await open.focus('nav[aria-label=Failures] a:last-child')
  await page.keyboard.press('Tab')
  t.equal(
    await open.evaluate(() => document.activeElement?.textContent, null),
    'Try again',
    'it comes after the links above',
  )
  const [response] = await Promise.all([
    page.waitForResponse((answer) => answer.request().isNavigationRequest()),
    page.keyboard.press('Enter'),
  ])
  t.not(response.headers()['x-request-id'], first)
})

async function load(open: OpenPage, url: string, javaScript: boolean): Promise<string | undefined> {
  const response = await open.goto(url, javaScript ? 'commit' : 'load')
  if (javaScript) await open.hydrated()
  await open.shown('[role=alert]')
  return response.headers()['x-request-id']
}

function errorOf(reqId: string | undefined) {
  return site.waitForLine((line) => line.reqId === reqId && line.level >= ERROR)
}
