import t from 'tap'
import { clientSentence } from '../../src/shared/wire/public-error.ts'
import { launchChromium } from '../browser/chromium.ts'
import { shareSite } from '../site-server.ts'
import { openWays, urlOf } from './ways.ts'

const site = await shareSite(t)
const chromium = await launchChromium(t)
const ways = await openWays(t, site)

t.test('F7: the client-side sentence replaces a component that throws in the browser', async (t) => {
  const open = await chromium.open()
  for (const way of ways) {
    await t.test(way.name, async (t) => {
      const response = await open.goto(urlOf(way, '/failures/f7/fail'), 'commit')
      t.equal(response.status(), 200)
      await open.hydrated()
      await open.click('#break')
      await open.shown('[role=alert]')
      const lines = (await open.read('[role=alert]')).split('\n').filter(Boolean)
      t.same(lines, [clientSentence(way.address), 'Try again'], 'word for word, without a digest')
      await open.shown('header.site-header nav')
      t.pass('inside the layouts')
      t.notMatch(await open.read('main'), /SECRET-MARKER|Digest/, 'nothing of the error')
      t.ok(
        open.errors.some((text) => text.includes('SECRET-MARKER f7')),
        'the error itself is in the console',
      )
      t.equal(await open.count('meta[name=robots][content=noindex]'), 1)
      await site.settleLog()
      t.same(site.linesOf(response.headers()['x-request-id'] ?? ''), [], 'the server has nothing to say of it')
    })
  }
})

t.test('F9: a page with a hydration mismatch is rendered again and works', async (t) => {
  const open = await chromium.open()
  for (const way of ways) {
    await t.test(way.name, async (t) => {
      const response = await open.goto(urlOf(way, '/failures/f9/fail'), 'commit')
      const sent = await response.text()
      await open.hasText('main', 'Rendered by the browser')
      const clock = await open.read('#clock')
      t.notOk(sent.includes(clock), 'the browser’s own time')
      await open.click('#counter')
      await open.hasText('#counter', 'Count: 1')
      t.equal(await open.count('[role=alert]'), 0, 'nothing is announced as a failure')
      t.equal(open.errors.length, 1, 'the console tells of it once')
      t.equal(await open.count('link[rel=stylesheet]'), 3, 'its stylesheets are still there')
    })
  }
})

t.test('the fallback is readable in light and dark mode and on a narrow screen', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const open = await chromium.open({ width: 360, colorScheme })
    for (const path of ['/failures/f1/fail', '/failures/f4/fail', '/failures/own/fail']) {
      await open.goto(`http://127.0.0.1:${site.port}${path}`, 'commit')
      await open.shown('[role=alert]')
      const seen = await open.evaluate(() => {
        const alert = document.querySelector<HTMLElement>('[role=alert]') ?? document.body
        const light = (color: string) => {
          const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number)
          const linear = (value: number) =>
            value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4
          return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
        }
        // Finds the nearest background that is not transparent.
        let holder: HTMLElement | null = alert
        while (holder && /, 0\)$|transparent/.test(getComputedStyle(holder).backgroundColor))
          holder = holder.parentElement
        const ground = light(getComputedStyle(holder ?? document.body).backgroundColor)
        const ink = light(getComputedStyle(alert.querySelector('p') ?? alert).color)
        return {
          contrast: (Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05),
          isDark: ground < ink,
          overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
          buttonHeight: alert.querySelector('button')?.offsetHeight ?? 0,
        }
      }, null)
      t.ok(seen.contrast >= 4.5, `${path}, ${colorScheme}: the contrast is ${seen.contrast.toFixed(1)}`)
      t.equal(seen.isDark, colorScheme === 'dark', 'and follows the color scheme')
      t.equal(seen.overflow, 0, 'nothing reaches beyond the screen')
      t.ok(seen.buttonHeight >= 44, 'the button is large enough for a finger')
    }
  }
})
