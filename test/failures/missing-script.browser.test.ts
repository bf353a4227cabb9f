import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { clientSentence } from '../../src/shared/wire/public-error.ts'
import { launchChromium, type OpenPage } from '../browser/chromium.ts'
import { buildApp } from '../build-app.ts'
import { scriptOf, serve } from '../server/served.ts'
import { shareSite } from '../site-server.ts'
import { until } from '../until.ts'

const FAIL = '/failures/f11/fail'
const MISSING = '**/later-part-OLDBUILD.js'

const site = await shareSite(t)
const chromium = await launchChromium(t)
const origin = `http://127.0.0.1:${site.port}`

interface Documents {
  count: number
  /**
   * Holds back the next document but one. Resolves, when it may be released, with the texts shown meanwhile, frame by
   * frame.
   */
  holdSecond(): Promise<{ texts: string[]; release(): void }>
}

const FRAMES = 20

/** Counts documents. */
async function watchDocuments({ page }: OpenPage): Promise<Documents> {
  let onHeld: ((release: () => void) => void) | null = null
  let onFrames = (_texts: string[]) => {}
  // Playwright cannot query a page that is about to be replaced, but the page can still log to the console.
  await page.addInitScript((count) => {
    let texts: string[] = []
    const look = () => {
      texts.push(String(document.querySelector('main')?.innerText))
      if (texts.length === count) {
        console.debug(`frames: ${JSON.stringify(texts)}`)
        texts = []
      }
      requestAnimationFrame(look)
    }
    look()
  }, FRAMES)
  page.on('console', (message) => {
    const [, json] = /^frames: (.*)/.exec(message.text()) ?? []
    if (json !== undefined) onFrames(JSON.parse(json))
  })
  const nextFrames = () =>
    new Promise<string[]>((resolve) => {
      onFrames = resolve
    })
  const documents: Documents = {
    count: 0,
    async holdSecond() {
      documents.count = 0
      const release = await new Promise<() => void>((resolve) => {
        onHeld = resolve
      })
      // The first list can have frames of the time before.
      await nextFrames()
      const texts = await nextFrames()
      return { texts, release }
    },
  }
  await page.route('**/*', async (route) => {
    if (!route.request().isNavigationRequest()) return route.fallback()
    documents.count++
    if (onHeld && documents.count === 2) {
      const tell = onHeld
      onHeld = null
      await new Promise<void>(tell)
    }
    await route.fallback()
  })
  return documents
}

async function showsSentence(t: Test, open: OpenPage) {
  await open.shown('[role=alert]')
  const lines = (await open.read('[role=alert]')).split('\n').filter(Boolean)
  t.same(lines, [clientSentence('127.0.0.1'), 'Try again'], 'the client-side sentence')
}

async function staysAsSent(t: Test, open: OpenPage) {
  await open.hydrated()
  await open.click('#counter')
  await open.hasText('#counter', 'Count: 1')
  t.match(await open.read('main'), 'This part of the page')
  t.notMatch(await open.read('main'), 'Application error')
}

t.test('F11: a page with a missing script is loaded again once, and then the part stays as it was sent', async (t) => {
  const open = await chromium.open()
  const { page } = open
  const seen = await watchDocuments(open)
  const again = seen.holdSecond()
  await open.goto(origin + FAIL, 'commit')
  const { texts, release } = await again
  t.same([...new Set(texts)].length, 1, 'meanwhile nothing changes')
  t.match(texts[0], 'This part of the page', 'all stays as the server has sent it')
  t.notMatch(texts[0], /Loading|Application error/)
  t.same(open.errors, [], 'and nothing is said in the console')
  release()
  await staysAsSent(t, open)
  t.equal(seen.count, 2)
  await until(() => open.errors.some((text) => text.includes('dynamically imported module')))
  t.pass('the error itself is in the console')

  await t.test('it is not loaded a third time when the visitor loads it again', async (t) => {
    await page.reload()
    await staysAsSent(t, open)
    t.equal(seen.count, 3, 'but for the visitor’s own try')
  })

  await t.test('it works when the script is there', async (t) => {
    const body = readFileSync(`site/.hydrant/client/${scriptOf('site', 'components/later-part.tsx')}`, 'utf8')
    await page.route(MISSING, (route) => route.fulfill({ contentType: 'text/javascript', body }))
    await Promise.all([page.waitForResponse((answer) => answer.url().endsWith('OLDBUILD.js')), page.reload()])
    await staysAsSent(t, open)
    t.equal(seen.count, 4)
  })

  await t.test('after a page that worked it may be reloaded once again', async (t) => {
    await page.unroute(MISSING)
    await open.goto(origin + FAIL, 'commit')
    await until(() => seen.count === 6)
    await staysAsSent(t, open)
    t.equal(seen.count, 6)
  })
})

t.test('F11: without JavaScript the part is there', async (t) => {
  const open = await chromium.open({ javaScript: false })
  const response = await open.goto(origin + FAIL, 'load')
  t.equal(response.status(), 200)
  t.match(await response.text(), 'This part of the page')
  t.notMatch(await open.read('body'), 'Application error')
})

t.test('F11: nothing is reloaded if the browser cannot store that it was', async (t) => {
  const open = await chromium.open()
  await open.page.addInitScript(() => {
    Object.defineProperty(window, 'sessionStorage', {
      get() {
        throw new DOMException('The operation is insecure.', 'SecurityError')
      },
    })
  })
  const seen = await watchDocuments(open)
  await open.goto(origin + FAIL, 'commit')
  await staysAsSent(t, open)
  t.equal(seen.count, 1)
})

t.test('F11: if a boundary is inside Suspense, nothing flashes either', async (t) => {
  const dir = await buildApp(t, 'scripts')
  const { app } = await serve(t, dir)
  await app.listen({ port: 0 })
  // The cast is safe because the server listens on TCP.
  const { port } = app.server.address() as AddressInfo
  const open = await chromium.open()
  const { page } = open
  await page.route(`**/${scriptOf(dir, 'components/part.tsx')}`, (route) =>
    route.fulfill({ status: 404, body: 'There is no such asset.\n' }),
  )
  const seen = await watchDocuments(open)

  const first = seen.holdSecond()
  await open.goto(`http://127.0.0.1:${port}/boundary/there`, 'commit')
  const there = await first
  t.same([...new Set(there.texts)], ['the part'], 'what the server has sent stays')
  there.release()
  await open.hydrated()
  await open.hasText('#part', 'the part')
  t.equal(seen.count, 2)

  const second = seen.holdSecond()
  await open.goto(`http://127.0.0.1:${port}/boundary`, 'commit')
  await open.hydrated()
  const click = open.click('main button')
  const clicked = await second
  t.equal(new Set(clicked.texts).size, 1)
  t.notMatch(clicked.texts[0], 'Application error', 'nor of a part that was asked for by a click')
  clicked.release()
  await click
  await page.waitForLoadState('load')
  await open.hydrated()
  t.match(await open.read('main'), 'beside', 'the page is as it was')
  await open.click('main button')
  await showsSentence(t, open)
  t.equal(seen.count, 2)
})

t.test('F11: a part whose script is blocked stays as it was sent, and the rest of the page works', async (t) => {
  const dir = await buildApp(t, 'scripts')
  const { app, log } = await serve(t, dir)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const open = await chromium.open()
  await open.page.route(`**/${scriptOf(dir, 'ad-banner.tsx')}`, (route) => route.abort())
  const seen = await watchDocuments(open)
  await open.goto(`${address}/blocked`, 'load')
  await open.hydrated()
  const shows = (id: string) =>
    open.evaluate((id) => document.getElementById(id)?.innerText.replaceAll(/\s+/g, ' '), id)
  const kept = (name: string) => `ad ${name} bold`
  await open.click('#count')
  await open.hasText('#count', 'count 1')
  await open.click('#late')
  await open.hasText('#late', 'late 1')
  await open.click('#refresh')
  await open.hasText('#refresh', 'loads 2')
  await open.hasText('#after h2', '1')
  for (const name of ['after', 'before', 'inside', 'outside', 'without']) t.match(await shows(name), kept(name))
  t.match(await shows('alone'), kept('alone 00'), 'it does not change')
  t.match(await shows('outside'), 'other', 'a part beside it is there')
  t.equal(await shows('before'), 'ad before bold tail before1')
  t.equal(seen.count, 1, 'the page is not loaded again')
  t.equal(open.errors.length, 1)
  await until(() => log.errors().length > 0)
  t.match(log.errors(), [{ side: 'client', err: { message: /dynamically imported module/ } }], 'reported once')

  await open.click('a')
  await open.hasText('main', 'Opensad opened')
  t.equal(seen.count, 2, 'a page that the browser renders is loaded, as the server can render the part')
})

t.test('F11: a page works if it is not known which of its elements belong to the missing script', async (t) => {
  const dir = await buildApp(t, 'scripts')
  const { app } = await serve(t, dir)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const open = await chromium.open()
  for (const file of ['plain-ad.tsx', 'pair.tsx'])
    await open.page.route(`**/${scriptOf(dir, `components/${file}`)}`, (route) => route.abort())
  const seen = await watchDocuments(open)
  const shown: Record<string, string> = {}
  for (const path of ['lay/inner', 'one', 'pair', 'suspense', 'late']) {
    await open.goto(`${address}/unknown/${path}`, 'load')
    await open.hydrated()
    await until(async () => {
      await open.click('button')
      return (await open.read('button')) !== 'count 0'
    })
    shown[path] = (await open.read('body')).replace(/\s+/g, ' ').replace(/count \d+/, 'count')
  }
  t.strictSame(shown, {
    'lay/inner': 'the ad count inner',
    one: 'count the ad other others end',
    // React renders what it cannot hydrate, without the part.
    pair: 'count other others end',
    suspense: 'count other others end',
    late: 'count the ad late end',
  })
  t.equal(seen.count, Object.keys(shown).length, 'no page is loaded again')
})

t.test('F11: a form is not sent again when a script of the response is missing', async (t) => {
  const dir = await buildApp(t, 'scripts')
  const { app, log } = await serve(t, dir)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const open = await chromium.open()
  await open.page.route(`**/${scriptOf(dir, 'pages/send/acted.tsx')}`, (route) => route.abort())
  await open.goto(`${address}/send`, 'load')
  await open.click('button')
  await until(() => log.errors().length > 0)
  t.equal(await open.read('#times'), '1')
})

t.test('F11i: without any of its scripts a page stays unchanged and works', async (t) => {
  const open = await chromium.open()
  const { page } = open
  const seen = await watchDocuments(open)
  await page.route('**/_hydrant/assets/*', (route) => route.abort())
  const response = await open.goto(`${origin}/failures`, 'load')
  const sent = await response.text()
  t.match(sent, '<h1>Failures to try</h1>')
  t.equal(await open.read('h1'), 'Failures to try')
  t.notMatch(await open.read('body'), 'Application error')
  await Promise.all([page.waitForURL('**/failures/f1'), open.click('main a[href="/failures/f1"]')])
  t.match(await open.read('h1'), 'A component throws', 'its links lead on')
  await Promise.all([page.waitForURL('**/failures/f1/fail'), open.click('main a[href="/failures/f1/fail"]')])
  await open.shown('[role=alert]')
  const before = seen.count
  await Promise.all([page.waitForEvent('load'), open.click('[role=alert] button')])
  t.equal(seen.count, before + 1, 'its forms are sent')
  await open.shown('[role=alert]')
  t.match(page.url(), /\/failures\/f1\/fail\??$/)
})
