/// <reference lib="dom" />

// What a visitor sees, hears and touches during navigations.

import t from 'tap'
import { until } from '../until.ts'
import { type SmallSite, serveSmallSite, type Visitor } from './navigation-site.ts'

const small: SmallSite = await serveSmallSite(t)
const { gates, origin } = small

t.test('focus is reset, and the new title is announced', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  await visitor.evaluate(() => {
    const region = document.querySelector('[aria-live]')
    const said: unknown[] = []
    if (region) new MutationObserver(() => said.push(region.textContent)).observe(region, { childList: true })
    Object.assign(window, { said })
  }, null)
  await visitor.focus('nav a[href="/about"]')
  await page.keyboard.press('Enter')
  await visitor.stands('About')
  await until(() => visitor.evaluate(() => (window as unknown as { said: string[] }).said.includes('About'), null))
  await until(() => visitor.evaluate(() => document.activeElement === document.body, null))
  await page.keyboard.press('Tab')
  t.equal(
    await visitor.evaluate(() => document.activeElement?.textContent, null),
    'home',
    'as in a document that has loaded',
  )
})

t.test('a search within the page keeps the focus, and a search that leads to another page resets it', async (t) => {
  const visitor = await small.visit(t)
  const field = 'nav form[action="/about"] input'
  await visitor.start('/about')
  await visitor.press(field, 'Enter')
  await visitor.hasText('#query', '?q=typed')
  await visitor.evaluate(() => navigation.transition?.finished.then(() => {}), null)
  t.equal(await visitor.evaluate(() => document.activeElement?.getAttribute('name'), null), 'q')
  await visitor.start('/')
  await visitor.press(field, 'Enter')
  await visitor.stands('About')
  await until(() => visitor.evaluate(() => document.activeElement === document.body, null))
})

t.test('assistive technology reads the page as if its document had been loaded', async (t) => {
  const visitor = await small.visit(t)
  await visitor.start('/')
  await visitor.click('/about')
  await visitor.stands('About')
  await until(() => visitor.evaluate(() => document.activeElement === document.body, null))
  const after = await outline(visitor)
  await visitor.start('/about')
  const loaded = await outline(visitor)
  t.ok(loaded.length > 20)
  t.strictSame(after, loaded)
})

t.test('the progress bar appears if a page takes long', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  const styleOfBar = (name: 'forcedColorAdjust' | 'transformOrigin') =>
    visitor.evaluate((name) => getComputedStyle(document.querySelector('.hydrant-progress') as Element)[name], name)
  await page.clock.install()
  await visitor.start('/')
  await visitor.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'), null)
  await page.clock.pauseAt(Date.now() + 60_000)
  await visitor.click('/slow')
  await visitor.hasText('#state', 'loading /slow')
  await page.clock.runFor(149)
  t.equal(await visitor.count('.hydrant-progress'), 0)
  await page.clock.runFor(2)
  t.equal(await visitor.count('.hydrant-progress'), 1)
  t.equal(await styleOfBar('forcedColorAdjust'), 'none', 'it is visible in forced colors')
  t.notMatch(await styleOfBar('transformOrigin'), /^0px /, 'it begins at the right')
  t.equal(await visitor.read('h1'), 'Home', 'the page before stays meanwhile')
  t.equal(page.url(), `${origin}/`, 'and its address')
  gates.gate('slow').open()
  await visitor.stands('Slow')
  t.equal(await visitor.read('#data'), 'at last')
  await visitor.hasText('#state', /^idle$/)
  t.equal(await visitor.count('.hydrant-progress'), 0)
  t.strictSame(visitor.documents, [])
  t.strictSame(visitor.errors, [])
})

t.test('a new query changes the address before the deferred part of the page, which stays meanwhile', async (t) => {
  const visitor = await small.visit(t)
  await visitor.start('/')
  await visitor.click('/later')
  await visitor.shown('#wait')
  gates.gate('later').open('first')
  await visitor.hasText('#later', 'first')
  await visitor.evaluate(() => location.assign('/later?page=2'), null)
  await until(() => visitor.page.url().endsWith('?page=2'))
  await visitor.hasText('#state', 'loading /later')
  t.equal(await visitor.read('#later'), 'first')
  t.equal(await visitor.read('#query'), '')
  gates.gate('later?page=2').open('second')
  await visitor.hasText('#later', 'second')
  await visitor.hasText('#state', /^idle$/)
  t.equal(await visitor.read('#query'), '?page=2')
})

t.test('a navigation that is stopped leaves the page unchanged', async (t) => {
  const again = await serveSmallSite(t)
  const visitor = await again.visit(t)
  const { page } = visitor
  await visitor.start('/')
  await visitor.click('/slow')
  await visitor.hasText('#state', 'loading /slow')
  await visitor.evaluate(() => stop(), null)
  await visitor.hasText('#state', /^idle$/)
  t.match(await again.gates.gate('slow').left, { name: 'AbortError' })
  t.equal(page.url(), `${again.origin}/`)
  await visitor.click('/about')
  await visitor.stands('About')
  t.strictSame(visitor.documents, [])
})

t.test('a page appears with its stylesheet, not before it', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\.css$/, async (route) => {
    await released
    await route.continue()
  })
  await visitor.evaluate(() => {
    const colors: string[] = []
    new MutationObserver(() => {
      const styled = document.querySelector('#styled')
      // Returns what the next frame shows.
      if (styled) requestAnimationFrame(() => colors.push(getComputedStyle(styled).color))
    }).observe(document.body, { subtree: true, childList: true })
    Object.assign(window, { colors })
  }, null)
  const asked = page.waitForRequest(/\.css$/)
  await visitor.click('/styled')
  await asked
  t.equal(await visitor.read('h1'), 'Home')
  release()
  await visitor.stands('Styled')
  await until(() => visitor.evaluate(() => (window as unknown as { colors: string[] }).colors.length > 0, null))
  const [first] = await page.evaluate(() => (window as unknown as { colors: string[] }).colors)
  t.equal(first, 'rgb(1, 2, 3)')
  t.strictSame(visitor.errors, [], 'the policy for scripts allows all of it')
})

t.test('React’s view transitions run across a navigation', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/moving/one')
  await visitor.evaluate(() => {
    const start = document.startViewTransition.bind(document)
    Object.assign(window, { transitions: 0 })
    document.startViewTransition = (...given) => {
      Object.assign(window, { transitions: (window as unknown as { transitions: number }).transitions + 1 })
      return start(...given)
    }
  }, null)
  await visitor.click('main a')
  await visitor.stands('Moved')
  t.equal(await page.evaluate(() => (window as unknown as { transitions: number }).transitions), 1)
  await until(() => visitor.evaluate(() => document.activeElement === document.body, null))
  await page.goBack()
  await visitor.stands('Moving')
  t.strictSame(visitor.documents, [])
})

/** Returns the accessibility tree, line by line, without the announcer's lines. */
async function outline({ protocol }: Visitor): Promise<string[]> {
  await protocol.send('Accessibility.enable')
  const { nodes } = await protocol.send('Accessibility.getFullAXTree')
  const announcer = nodes.find(({ properties = [] }) =>
    properties.some(({ name, value }) => name === 'live' && value.value === 'assertive'),
  )
  const own = new Set([announcer?.nodeId, ...(announcer?.childIds ?? [])])
  const within = (id: string | undefined): boolean =>
    id !== undefined && (own.has(id) || within(nodes.find(({ nodeId }) => nodeId === id)?.parentId))
  return nodes
    .filter(({ ignored, nodeId }) => !ignored && !within(nodeId))
    .map(({ role, name, properties = [] }) => {
      const states = properties.filter(({ name }) => name !== 'url').map(({ name, value }) => `${name}=${value.value}`)
      return `${role?.value} ${name?.value ?? ''} ${states.join()}`
    })
}
