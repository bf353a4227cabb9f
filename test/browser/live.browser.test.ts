/// <reference lib="dom" />

// What a refresh of a live page leaves alone, and when a page refreshes, in Chromium.

import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { until } from '../until.ts'
import { launchChromium, type OpenPage } from './chromium.ts'
import { buildLiveSite, createHold, type LiveSite, lookAtBoard, serveLiveSite, touchBoard } from './live-site.ts'

const dir = await buildLiveSite(t.testdir({}))
const chromium = await launchChromium(t)

interface Live extends LiveSite, OpenPage {}

/** Serves the site for a test, and opens a page of it, with its stream. */
async function openLive(t: Test, path = '/'): Promise<Live> {
  const site = await serveLiveSite(t, dir)
  const open = await chromium.open({}, t)
  await open.goto(site.origin + path, 'load')
  await open.hydrated()
  await until(() => site.streams().length === 1)
  await open.evaluate(() => {
    document.documentElement.dataset.mark = 'here'
  }, null)
  site.board.loads.length = 0
  return { ...site, ...open }
}

const isSameDocument = ({ evaluate }: OpenPage) =>
  evaluate(() => document.documentElement.dataset.mark === 'here', null)

t.test('a refresh leaves alone what the visitor has done', async (t) => {
  const open = await openLive(t)
  const { add, hasText, fill, click, page, evaluate, board } = open
  await click('#count')
  await fill('#free', 'typed freely')
  await fill('#area', 'typed\nin lines')
  await fill('#controlled', 'typed and kept')
  await click('#box')
  await click('#summary')
  await evaluate(() => document.querySelector('audio')?.play(), null)
  await evaluate(touchBoard, null)
  const look = () => evaluate(lookAtBoard, null)
  await until(async () => (await look()).plays)
  const before = await look()
  t.strictSame(before, {
    mark: 'here',
    focus: 'controlled',
    selection: [2, 5, 'backward'],
    scroll: [700, 300],
    texts: ['typed freely', 'typed\nin lines', 'typed and kept'],
    kept: 'typed and kept',
    box: true,
    choice: 'b',
    details: true,
    plays: true,
    count: '1',
  })
  await add('second')
  await hasText('h1', 'Board: first, second')
  t.strictSame(await look(), before)
  await page.keyboard.insertText('---')
  t.equal(await open.valueOf('#controlled'), 'ty--- and kept', 'the caret is where it was')
  await add('third')
  await hasText('h1', 'second, third')
  t.equal(await open.read('#kept'), 'ty--- and kept')
  t.strictSame(board.loads, ['/', '/'])
  t.ok(await isSameDocument(open))
  t.strictSame(open.errors, [])
})

t.test('a dialog stays open with its focus, and selected text stays selected', async (t) => {
  const { add, hasText, evaluate, page } = await openLive(t)
  await evaluate(() => {
    const words = document.querySelector('#words')?.firstChild
    if (words) getSelection()?.setBaseAndExtent(words, 5, words, 10)
  }, null)
  await add('second')
  await hasText('h1', 'Board: first, second')
  t.equal(await evaluate(() => String(getSelection()), null), 'words')
  await evaluate(() => document.querySelector('dialog')?.showModal(), null)
  await page.keyboard.insertText('inside')
  await add('third')
  await hasText('#dialog', 'in the dialog 3')
  const state = () =>
    evaluate(() => [document.querySelector('dialog')?.matches(':modal'), document.activeElement?.id], null)
  t.strictSame(await state(), [true, 'inner'])
  await page.keyboard.insertText(' it')
  t.equal(await evaluate(() => document.querySelector<HTMLInputElement>('#inner')?.value, null), 'inside it')
})

t.test('a submission goes first, keeps its optimistic value, and causes no second refresh', async (t) => {
  const { add, hasText, click, board, refreshes, read } = await openLive(t)
  const { held, release } = createHold()
  board.action = held
  await click('#add')
  await hasText('#shown', 'first, mine…')
  await add('theirs')
  await hasText('#pending', 'pending')
  t.equal(await read('h1'), 'Board: first')
  t.strictSame(board.loads, [])
  release()
  await hasText('h1', 'Board: first, theirs, mine')
  await hasText('#shown', /^first, theirs, mine$/)
  await hasText('#pending', 'idle')
  await add('last')
  await hasText('h1', 'theirs, mine, last')
  t.strictSame(board.loads, ['/', '/'], 'one for the submission, and one for what came after it')
  t.strictSame(refreshes, ['/', '/'])
})

t.test('a submission whose loads take long causes no second refresh, and refresh() joins', async (t) => {
  const { hasText, click, board, add, read } = await openLive(t)
  const { held, release } = createHold()
  board.load = held
  await click('#add')
  await until(() => board.loads.length === 1)
  // Longer than the page looks again whether it may refresh.
  await pause(300)
  release()
  await hasText('#shown', /^first, mine$/)
  t.equal(await read('#pending'), 'idle')
  t.strictSame(board.loads, ['/'])
  const second = createHold()
  board.load = second.held
  await click('#refresh')
  await until(() => board.loads.length === 2)
  await add('theirs')
  await click('#refresh')
  second.release()
  await hasText('h1', 'mine, theirs')
  await pause(300)
  t.strictSame(board.loads, ['/', '/', '/'], 'the call that has begun before, and one for both')
})

t.test('a form that is sent in place brings what it has published', async (t) => {
  const { add, hasText, fill, click, board } = await openLive(t)
  for (const text of ['one', 'two', 'three']) {
    await fill('#text', text)
    await click('#send')
    await hasText('h1', `${text}`)
  }
  await add('last')
  await hasText('h1', 'three, last')
  t.strictSame(board.loads, Array(4).fill('/'), 'three submissions and one refresh')
})

t.test('an optimistic value that begins while a refresh is on its way stays', async (t) => {
  const { add, hasText, click, board } = await openLive(t)
  const load = createHold()
  const action = createHold()
  board.load = load.held
  board.action = action.held
  await add('theirs')
  await until(() => board.loads.length === 1)
  await click('#add')
  await hasText('#shown', 'mine…')
  load.release()
  await hasText('#shown', 'mine…')
  await hasText('#pending', 'pending')
  action.release()
  await hasText('#shown', /^first, theirs, mine$/)
  await hasText('#pending', 'idle')
})

t.test('several publishes are joined', async (t) => {
  const { add, hasText, board } = await openLive(t)
  const { held, release } = createHold()
  board.load = held
  await add('1')
  await until(() => board.loads.length === 1)
  for (const text of ['2', '3', '4', '5']) await add(text)
  release()
  await hasText('h1', '1, 2, 3, 4, 5')
  t.strictSame(board.loads, ['/', '/'])
})
