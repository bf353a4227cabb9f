/// <reference lib="dom" />

// What a refresh of a live page leaves alone, in Firefox and in WebKit.

import t from 'tap'
import { until } from '../until.ts'
import { launchFirefox } from './firefox.ts'
import { buildLiveSite, createHold, lookAtBoard, serveLiveSite, touchBoard } from './live-site.ts'
import { launchWebkit } from './webkit.ts'

/** Includes the start of a browser. */
const TIMEOUT_MS = 180_000

const dir = await buildLiveSite(t.testdir({}))

for (const [name, launch] of Object.entries({ Firefox: launchFirefox, WebKit: launchWebkit })) {
  t.test(`${name}: a live page`, { timeout: TIMEOUT_MS }, async (t) => {
    const site = await serveLiveSite(t, dir)
    const { board, add, streams } = site
    const page = await launch(t)
    await page.goto(site.origin)
    await page.hydrated()
    await until(() => streams().length === 1)
    board.loads.length = 0

    await t.test('a refresh leaves alone what the visitor has done', async (t) => {
      await page.click('#count')
      await page.type('#free', 'typed freely')
      await page.type('#area', 'typed in the area')
      await page.type('#controlled', 'typed and kept')
      await page.click('#box')
      await page.click('#summary')
      const plays = await page.evaluate(
        () =>
          document
            .querySelector('audio')
            ?.play()
            .then(() => true)
            .catch(String),
        null,
      )
      t.equal(plays, true)
      await page.evaluate(() => {
        document.documentElement.dataset.mark = 'here'
      }, null)
      await page.evaluate(touchBoard, null)
      const look = () => page.evaluate(lookAtBoard, null)
      await until(async () => (await look()).plays)
      const before = await look()
      t.strictSame(before, {
        mark: 'here',
        focus: 'controlled',
        selection: [2, 5, 'backward'],
        scroll: [700, 300],
        texts: ['typed freely', 'typed in the area', 'typed and kept'],
        kept: 'typed and kept',
        box: true,
        choice: 'b',
        details: true,
        plays: true,
        count: '1',
      })
      await add('second')
      await page.shows('h1', 'Board: first, second')
      t.strictSame(await look(), before)
      t.strictSame(board.loads, ['/'])
    })

    await t.test('a dialog stays open, and selected text stays selected', async (t) => {
      const state = () =>
        page.evaluate(
          () => [
            document.querySelector('dialog')?.matches(':modal'),
            document.activeElement?.id,
            String(getSelection()).trim(),
          ],
          null,
        )
      await page.evaluate(() => {
        ;(document.activeElement as HTMLElement | null)?.blur()
        const words = document.querySelector('#words')?.firstChild
        if (words) getSelection()?.setBaseAndExtent(words, 5, words, 10)
      }, null)
      await add('third')
      await page.shows('h1', 'second, third')
      t.strictSame(await state(), [false, '', 'words'])
      await page.evaluate(() => document.querySelector('dialog')?.showModal(), null)
      await add('fourth')
      await page.shows('#dialog', 'in the dialog 4')
      t.match(await state(), [true, 'inner'])
      await page.evaluate(() => document.querySelector('dialog')?.close(), null)
    })

    await t.test('a submission keeps its optimistic value, and goes first', async (t) => {
      board.loads.length = 0
      const { held, release } = createHold()
      board.action = held
      await page.click('#add')
      await page.shows('#shown', 'fourth, mine…')
      await add('theirs')
      await page.shows('#pending', 'pending')
      t.strictSame(board.loads, [])
      release()
      await page.shows('h1', 'fourth, theirs, mine')
      await page.shows('#pending', 'idle')
      t.equal(await page.evaluate(() => document.querySelector('#shown')?.textContent, null), board.texts.join(', '))
      t.strictSame(board.loads, ['/'])
    })

    await t.test('a refresh that fails leaves the page as it is, and succeeds later', async (t) => {
      board.loads.length = 0
      board.fails = true
      await add('fifth')
      await until(() => board.loads.length === 2)
      await page.shows('h1', 'theirs, mine')
      board.fails = false
      await page.shows('h1', 'mine, fifth')
      t.equal(await page.evaluate(() => document.documentElement.dataset.mark, null), 'here')
      t.equal(await page.evaluate(() => document.querySelectorAll('.hydrant-failure').length, null), 0)
    })
  })
}
