/// <reference lib="dom" />

// The text of a form, which is filled in when the visitor returns to it: after it was not accepted, and after Back.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { serve } from '../server/served.ts'
import { until } from '../until.ts'
import { launchChromium, type OpenPage, type Owner } from './chromium.ts'

const dir = await buildApp(t, 'fields')
const { app } = await serve(t, dir)
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const chromium = await launchChromium(t)

async function openNote(t: Owner): Promise<OpenPage> {
  const open = await chromium.open({}, t)
  await open.page.clock.install()
  await open.goto(`${origin}/kept/note`, 'load')
  await open.hydrated()
  return open
}

async function sendAndReturn(open: OpenPage, button: string, wait?: string) {
  await open.click(button)
  await open.hasText('h1', 'Sign in')
  if (wait) await open.page.clock.fastForward(wait)
  await open.click('#back')
  await open.hasText('h1', 'Note')
}

t.test('the text is filled in for some minutes, without fields that browsers do not keep either', async (t) => {
  const open = await openNote(t)
  await open.fill('#text', 'typed')
  await open.fill('#code', '1234')
  await sendAndReturn(open, '#send', '09:00')
  t.equal(await open.valueOf('#text'), 'typed')
  t.equal(await open.valueOf('#code'), '')
  await open.fill('#own', 'secret')
  await open.fill('#mail', 'a@b.example')
  await sendAndReturn(open, '#other')
  t.equal(await open.valueOf('#own'), '')
  t.equal(await open.valueOf('#mail'), 'a@b.example')
})

t.test('it is forgotten after ten minutes', async (t) => {
  const open = await openNote(t)
  await open.fill('#text', 'typed')
  await sendAndReturn(open, '#send', '11:00')
  t.equal(await open.valueOf('#text'), '')
})

t.test('Back fills in what was typed before a link was followed, but not what was sent', async (t) => {
  const open = await chromium.open({}, t)
  const { page } = open
  await open.goto(`${origin}/kept/message`, 'load')
  await open.hydrated()
  for (const field of ['#text', '#code', '#secret', '#subject']) await open.fill(field, 'typed')
  await open.click('#news')
  await open.click('#away')
  await open.hasText('h1', 'Sign in')
  await page.goBack()
  await open.hasText('#shown', 'typed')
  const values = await open.evaluate(
    () => ['text', 'code', 'secret', 'subject'].map((id) => (document.getElementById(id) as HTMLInputElement).value),
    null,
  )
  t.strictSame(values, ['typed', '', '', 'typed'])
  t.equal(await open.count('#news:checked'), 1)

  await open.fill('#aside', 'of another form')
  await open.click('#send')
  await open.hasText('h1', 'Sign in')
  await page.goBack()
  await open.hasText('h1', 'Message')
  await until(async () => (await open.valueOf('#aside')) === 'of another form')
  t.equal(await open.valueOf('#text'), '')
})

t.test('text stays with its page if the visitor leaves another page before it has arrived', async (t) => {
  const open = await chromium.open({}, t)
  const { page } = open
  await page.addInitScript(() => {
    // As in browsers that change the address before a page has arrived.
    delete (window as { NavigationPrecommitController?: unknown }).NavigationPrecommitController
  })
  let release!: () => void
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/kept/message?*', async (route) => {
    await released
    await route.fallback()
  })
  const follow = (to: string) => open.evaluate((to) => void navigation.navigate(to).finished?.catch(() => {}), to)
  await open.goto(`${origin}/kept/note`, 'load')
  await open.hydrated()
  await open.fill('#code', 'kept nowhere')
  await open.fill('#text', 'of the note')
  await open.fill('#mail', 'mail')
  await follow('/kept/message')
  await page.waitForURL('**/kept/message')
  await follow('/kept/login')
  await open.hasText('h1', 'Sign in')
  release()
  await page.goBack()
  await open.hasText('h1', 'Message')
  await page.goBack()
  await open.hasText('h1', 'Note')
  await until(async () => (await open.valueOf('#text')) === 'of the note')
  t.equal(await open.valueOf('#mail'), 'mail')
  t.equal(await open.valueOf('#code'), '')
})

t.test('the text of a part that arrives later is filled in with it, and in no other form', async (t) => {
  const open = await chromium.open({}, t)
  const { page } = open
  const letPartArrive = () => app.inject('/late/gates/late0')
  async function comeBack(link: string) {
    await app.inject('/late/clear')
    await open.click(link)
    await open.hasText('h1', 'Sign in')
    await page.goBack()
    await open.hasText('#waiting', 'waiting')
  }
  const hasText = (field: string, text: string) => until(async () => (await open.valueOf(field)) === text)

  await letPartArrive()
  await open.goto(`${origin}/kept/parts`, 'load')
  await open.hydrated()
  for (const field of ['first', 'second', 'search']) await open.fill(`#${field}`, field)
  await comeBack('#away')
  await hasText('#search', 'search')
  t.equal(await open.valueOf('#second'), '')
  await open.fill('#search', 'newer')
  await letPartArrive()
  await hasText('#first', 'first')
  t.equal(await open.valueOf('#second'), 'second')
  t.equal(await open.valueOf('#search'), 'newer')

  await comeBack('#send-first')
  await letPartArrive()
  await hasText('#first', 'first')
  t.equal(await open.valueOf('#second'), 'second', 'the other form has its own')

  await comeBack('#away')
  await open.evaluate(() => history.replaceState(null, '', '?changed'), null)
  await letPartArrive()
  await hasText('#first', 'first')

  await comeBack('#away')
  await open.click('#away')
  await open.hasText('h1', 'Sign in')
  await page.goBack()
  await open.hasText('#waiting', 'waiting')
  await letPartArrive()
  await hasText('#first', 'first')
})
