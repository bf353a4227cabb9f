/// <reference lib="dom" />

// `useRestoredState`: state that comes back as the text of forms does, to the visitor who had it.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { serve } from '../server/served.ts'
import { until } from '../until.ts'
import { launchChromium, type OpenPage, type Owner } from './chromium.ts'
import { startDevSite } from './dev/dev-site.ts'
import { takesNavigations } from './navigation-site.ts'

const dir = await buildApp(t, 'fields')
const nameOf = (cookie = '') => /\bname=(\w*)/.exec(cookie)?.[1]

async function listen(options: Parameters<typeof serve>[2]): Promise<string> {
  const { app } = await serve(t, dir, options)
  return app.listen({ port: 0, host: '127.0.0.1' })
}

const unknowing = await listen({})
const knowing = await listen({ identifyVisitor: ({ headers }) => nameOf(headers.cookie) })
const SITES = { 'without the option': unknowing, 'with the option': knowing }
const chromium = await launchChromium(t)

/** The state of the page that nobody has changed. */
const NOTHING = { tags: [], since: '1970-01-01T00:00:00.000Z', pin: '', large: 0, odd: false }
const TAGS = { ...NOTHING, tags: ['tag', 'tag'] }

const DRAFT = '/restored/draft'

interface Options {
  name?: string
  init?: () => void
}

function withoutNavigation() {
  // Removes a getter of the window itself with `delete`.
  delete (window as { navigation?: unknown }).navigation
}

/** Opens the page, signed in or not. */
async function openDraft(t: Owner, origin: string, { name, init }: Options = {}): Promise<OpenPage> {
  const open = await chromium.open({}, t)
  if (init) await open.page.addInitScript(init)
  if (name) await open.page.context().addCookies([{ name: 'name', value: name, url: origin }])
  await open.goto(origin + DRAFT, 'load')
  await open.hydrated()
  return open
}

async function addTags(open: OpenPage) {
  for (const tags of ['["tag"', '["tag","tag"']) {
    await open.click('#add')
    await open.hasText('#state', tags)
  }
}

async function stateOf(open: OpenPage): Promise<object> {
  await open.hasText('h1', 'Draft')
  await open.hydrated()
  // Effects have run: the state of a mounted hook is restored before anything is painted.
  await open.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))), null)
  return JSON.parse(await open.read('#state'))
}

async function leave(open: OpenPage) {
  await open.click('#away')
  await open.hasText('h1', 'Sign in')
}

async function signIn(open: OpenPage, name: string) {
  await open.fill('#name', name)
  await open.click('#enter')
  await open.hasText('h1', 'Draft')
}

async function back(open: OpenPage, entries = 1): Promise<object> {
  for (let entry = 0; entry < entries; entry++) {
    // A document whose script is not loaded yet would not show the page of an entry that another document has made.
    if (entry > 0) await takesNavigations(open)
    await open.page.goBack()
  }
  return stateOf(open)
}

for (const [which, origin] of Object.entries(SITES)) {
  t.test(`Back, Forward and a reload restore the state, and a link does not, ${which}`, async (t) => {
    const open = await openDraft(t, origin, { name: 'ada' })
    await addTags(open)
    await leave(open)
    t.strictSame(await back(open), TAGS, 'Back')
    await leave(open)
    await open.click('#draft')
    t.strictSame(await stateOf(open), NOTHING, 'a link')
    await open.click('#add')
    await open.hasText('#state', '["tag"]')
    t.strictSame(await back(open, 2), TAGS, 'two entries back')
    await open.page.goForward()
    await open.hasText('h1', 'Sign in')
    await open.page.goForward()
    t.strictSame(await stateOf(open), { ...NOTHING, tags: ['tag'] }, 'two entries forward')
    await open.page.reload()
    t.strictSame(await stateOf(open), { ...NOTHING, tags: ['tag'] }, 'a reload')
    await open.page.reload()
    t.strictSame(await stateOf(open), { ...NOTHING, tags: ['tag'] }, 'another one')
    t.strictSame(open.errors, [])
  })

  t.test(`Back from another document restores the state, ${which}`, async (t) => {
    const open = await openDraft(t, origin, { name: 'ada' })
    await addTags(open)
    await open.goto(`${origin}/sent`, 'load')
    t.strictSame(await back(open), TAGS)
    await open.goto(`${origin}/restored/login`, 'load')
    t.strictSame(await back(open), TAGS, 'once more')
    t.strictSame(open.errors, [])
  })

  t.test(`values that do not come back leave the others alone, ${which}`, async (t) => {
    const open = await openDraft(t, origin)
    await addTags(open)
    await open.click('#others')
    await open.hasText('#state', '"odd":true')
    await leave(open)
    const expected = { ...TAGS, since: '1970-01-02T00:00:00.000Z' }
    t.strictSame(await back(open), expected, 'in place')
    await open.click('#others')
    await open.hasText('#state', '"odd":true')
    await open.page.reload()
    t.strictSame(await stateOf(open), expected, 'in a new document')
    await open.goto(`${origin}/sent`, 'load')
    const stored = await open.evaluate(() => JSON.stringify({ ...sessionStorage }), null)
    t.match(stored, 'tag')
    t.notMatch(stored, /1234|a line/)
    t.strictSame(open.errors, [], 'nor is anything logged')
  })

  t.test(`a sign-in that interrupts a form gives the state to the form, ${which}`, async (t) => {
    const open = await openDraft(t, origin)
    await addTags(open)
    await open.fill('#text', 'typed')
    await open.click('#send')
    await open.hasText('h1', 'Sign in')
    await signIn(open, 'ada')
    t.strictSame(await stateOf(open), TAGS)
    t.equal(await open.valueOf('#text'), 'typed')
    await leave(open)
    await open.click('#draft')
    t.strictSame(await stateOf(open), NOTHING, 'once')
  })

  t.test(`an accepted form takes its state with it, ${which}`, async (t) => {
    const open = await openDraft(t, origin, { name: 'ada' })
    await addTags(open)
    await open.fill('#text', 'fine')
    await open.click('#send')
    await open.page.waitForFunction(() => document.querySelector<HTMLInputElement>('#text')?.value === '')
    t.strictSame(await stateOf(open), TAGS, 'the state of the page that stays is React’s')
  })

  t.test(`what is sent by the browser itself is there when it is refused, ${which}`, async (t) => {
    const open = await openDraft(t, origin, { name: 'ada' })
    await addTags(open)
    await open.fill('#text', 'refused')
    await open.evaluate(() => document.forms[0]?.submit(), null)
    await open.hasText('#issue', 'Not this text')
    t.strictSame(await stateOf(open), TAGS)
    await open.click('#add')
    await open.hasText('#state', '["tag","tag","tag"]')
    await open.fill('#text', 'refused')
    await open.evaluate(() => document.forms[0]?.submit(), null)
    await open.page.waitForFunction(() => document.querySelector<HTMLInputElement>('#text')?.value === '')
    t.strictSame(await stateOf(open), { ...TAGS, tags: ['tag', 'tag', 'tag'] }, 'again')
  })

  t.test(`the same in browsers without the Navigation API, ${which}`, async (t) => {
    const open = await openDraft(t, origin, { name: 'ada', init: withoutNavigation })
    await addTags(open)
    await leave(open)
    t.strictSame(await back(open), TAGS, 'Back')
    await open.page.reload()
    t.strictSame(await stateOf(open), TAGS, 'a reload')
    await open.fill('#text', 'refused')
    await open.click('#send')
    await open.hasText('#issue', 'Not this text')
    t.strictSame(await stateOf(open), TAGS, 'a refused form')
    t.strictSame(open.errors, [])
  })

  t.test(`works without storage, ${which}`, async (t) => {
    const init = () =>
      Object.defineProperty(window, 'sessionStorage', {
        get() {
          throw new DOMException('The operation is insecure.', 'SecurityError')
        },
      })
    const open = await openDraft(t, origin, { name: 'ada', init })
    await addTags(open)
    await open.fill('#text', 'typed')
    await leave(open)
    t.strictSame(await back(open), NOTHING)
    t.equal(await open.valueOf('#text'), 'typed', 'the text of a form is in memory')
    t.strictSame(open.errors, [])
  })

  t.test(`it is forgotten after ten minutes, ${which}`, async (t) => {
    const open = await chromium.open({}, t)
    await open.page.clock.install()
    await open.goto(origin + DRAFT, 'load')
    await open.hydrated()
    await addTags(open)
    await leave(open)
    await open.page.clock.fastForward('09:00')
    await open.page.goBack()
    await open.hasText('#state', '["tag","tag"]')
    await leave(open)
    await open.page.clock.fastForward('11:00')
    await open.page.goBack()
    await open.hasText('h1', 'Draft')
    t.strictSame(JSON.parse(await open.read('#state')).tags, [])
  })
}

t.test('another person who signs in gets neither state nor text, and does not leave it either', async (t) => {
  for (const how of ['in place', 'by the browser itself']) {
    const open = await openDraft(t, knowing, { name: 'ada' })
    await addTags(open)
    await open.fill('#text', 'typed')
    await leave(open)
    if (how === 'in place') await signIn(open, 'bob')
    else {
      await open.fill('#name', 'bob')
      await open.evaluate(() => document.forms[0]?.submit(), null)
      await open.hasText('h1', 'Draft')
    }
    t.strictSame(await stateOf(open), NOTHING, `the page after the sign-in, ${how}`)
    t.strictSame(await back(open, 2), NOTHING, `Back, ${how}`)
    t.equal(await open.valueOf('#text'), '', how)
    await leave(open)
    await signIn(open, 'ada')
    t.strictSame(await back(open, 2), NOTHING, `it is gone, ${how}`)
  }
})

t.test('a form that somebody was writing is not for another person who signs in', async (t) => {
  const open = await openDraft(t, knowing, { name: 'ada' })
  await addTags(open)
  await open.fill('#text', 'typed')
  // The session ends in another tab.
  await open.page.context().clearCookies()
  await open.click('#send')
  await open.hasText('h1', 'Sign in')
  await signIn(open, 'bob')
  t.strictSame(await stateOf(open), NOTHING)
  t.equal(await open.valueOf('#text'), '')
})

t.test('a form that its writer sends after signing in again is complete', async (t) => {
  const open = await openDraft(t, knowing, { name: 'ada' })
  await addTags(open)
  await open.fill('#text', 'typed')
  await open.page.context().clearCookies()
  await open.click('#send')
  await open.hasText('h1', 'Sign in')
  await open.click('#draft')
  t.strictSame(await stateOf(open), NOTHING, 'nobody is signed in')
  t.equal(await open.valueOf('#text'), '')
  await leave(open)
  await signIn(open, 'ada')
  t.strictSame(await stateOf(open), TAGS)
  t.equal(await open.valueOf('#text'), 'typed')
})

t.test('a link loads the document if somebody else has signed in in another tab', async (t) => {
  for (const name of ['ada', 'bob', '']) {
    const open = await openDraft(t, knowing, { name: 'ada' })
    await open.evaluate(() => Reflect.set(globalThis, 'isFirst', true), null)
    await open.page.context().addCookies([{ name: 'name', value: name, url: knowing }])
    await leave(open)
    const isFirst = await open.evaluate(() => Reflect.has(globalThis, 'isFirst'), null)
    t.equal(isFirst, name === 'ada', name || 'nobody')
  }
})

t.test('after a sign-out, nothing comes back until the same person signs in', async (t) => {
  for (const how of ['in place', 'in another document']) {
    const open = await openDraft(t, knowing, { name: 'ada' })
    await addTags(open)
    await open.fill('#text', 'typed')
    await leave(open)
    if (how === 'in place') await signIn(open, '')
    else {
      await open.page.context().clearCookies()
      await open.goto(`${knowing}${DRAFT}?out`, 'load')
    }
    t.strictSame(await stateOf(open), NOTHING)
    t.strictSame(await back(open, 2), NOTHING, `Back, ${how}`)
    t.equal(await open.valueOf('#text'), '', how)
  }
  const open = await openDraft(t, knowing, { name: 'ada' })
  await addTags(open)
  await leave(open)
  await signIn(open, '')
  await leave(open)
  await signIn(open, 'ada')
  t.strictSame(await back(open, 4), TAGS)
})

t.test('what nobody owned becomes that of the first who signs in', async (t) => {
  const open = await openDraft(t, knowing)
  await addTags(open)
  await leave(open)
  await signIn(open, 'ada')
  await leave(open)
  await signIn(open, 'bob')
  t.strictSame(await back(open, 4), NOTHING)
  const other = await openDraft(t, knowing)
  await addTags(other)
  await leave(other)
  await signIn(other, 'ada')
  t.strictSame(await back(other, 2), TAGS)
})

t.test('without the option, a cookie after a form drops all but the form that a sign-in has interrupted', async (t) => {
  const open = await openDraft(t, unknowing)
  await addTags(open)
  await open.fill('#text', 'typed')
  await leave(open)
  await signIn(open, 'ada')
  t.strictSame(await back(open, 2), NOTHING, 'a page that a link has left')
  t.equal(await open.valueOf('#text'), '')

  const other = await openDraft(t, unknowing)
  await addTags(other)
  await other.fill('#text', 'typed')
  await other.click('#send')
  await other.hasText('h1', 'Sign in')
  await other.evaluate(() => document.forms[0]?.setAttribute('action', '?to=/restored/login?again'), null)
  await other.fill('#name', 'ada')
  await other.click('#enter')
  await other.page.waitForURL(/again$/)
  await other.evaluate(() => document.forms[0]?.removeAttribute('action'), null)
  await signIn(other, 'bob')
  t.strictSame(await stateOf(other), NOTHING, 'a second sign-in')
  t.equal(await other.valueOf('#text'), '')
})

t.test('without the option, a form that the browser sends itself drops the state of other pages', async (t) => {
  const open = await openDraft(t, unknowing)
  await addTags(open)
  await leave(open)
  await open.evaluate(() => document.forms[0]?.setAttribute('data-hydrant-reload', ''), null)
  await signIn(open, 'ada')
  t.strictSame(await back(open, 2), NOTHING)
})

t.test('in development, the console says what cannot come back, once', async (t) => {
  const { url, chromium } = await startDevSite(t, 'fields')
  const open = await chromium.open({}, t)
  await open.goto(new URL('/restored/twice', url).href, 'load')
  await open.hydrated()
  const shared = 'useRestoredState("count"): two components that are mounted have this key.'
  await until(() => open.errors.some((text) => text.includes(shared)))
  await open.goto(new URL(DRAFT, url).href, 'load')
  await open.hydrated()
  await open.click('#others')
  await open.hasText('#state', '"odd":true')
  for (let times = 0; times < 2; times++) {
    await leave(open)
    await back(open)
    await open.click('#others')
    await open.hasText('#state', '"odd":true')
  }
  t.match(open.errors.join('\n'), 'useRestoredState("odd"): a value of the type Symbol is not kept.')
  t.match(
    open.errors.join('\n'),
    /useRestoredState\("large"\): the value has \d+ characters, and at most 16384 are kept\./,
  )
  t.equal(open.errors.length, 2)
})

t.test('of two components with one key, one gets the value, and the page works', async (t) => {
  const open = await chromium.open({}, t)
  await open.goto(`${unknowing}/restored/twice`, 'load')
  await open.hydrated()
  for (const id of ['#first', '#second', '#second']) await open.click(id)
  await open.hasText('#second', '2')
  await leave(open)
  await open.page.goBack()
  await open.hasText('h1', 'Twice')
  await open.hasText('#first', '2')
  t.equal(await open.read('#second'), '0')
  t.strictSame(open.errors, [])
})
