/// <reference lib="dom" />

// Navigations from page to page in one document.

import t from 'tap'
import { until } from '../until.ts'
import { serveSmallSite } from './navigation-site.ts'

const small = await serveSmallSite(t)
const { origin, gates } = small

t.test('links, Back, Forward, scripts and forms navigate in one document', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  await visitor.fill('#typed', 'kept')
  await visitor.click('#layout-count')
  await visitor.click('#count')
  await visitor.click('/about')
  await visitor.stands('About')
  t.equal(new URL(page.url()).pathname, '/about')
  t.equal(await page.title(), 'About')
  t.strictSame(
    await page.locator('meta[name=description]').evaluateAll((all) => all.map((one) => one.getAttribute('content'))),
    ['All about About'],
  )
  t.equal(await visitor.valueOf('#typed'), 'kept', 'the layout stays as it is')
  t.equal(await visitor.read('#layout-count'), '1')
  t.equal(await visitor.read('#count'), '0', 'the page does not')

  await visitor.click('#count')
  await visitor.click('/about?q=1')
  await visitor.hasText('#query', '?q=1')
  t.equal(await visitor.read('#count'), '1', 'unless only the query is another')
  await page.goBack()
  await visitor.hasText('#query', /^$/)
  await page.goBack()
  await visitor.stands('Home')
  t.equal(await page.title(), 'Home')
  await page.goForward()
  await visitor.stands('About')
  await visitor.evaluate(async () => void (await navigation.navigate('/').finished), null)
  await visitor.stands('Home')
  await page.getByRole('button', { name: 'Search' }).click()
  await visitor.stands('About')
  t.equal(await visitor.read('#query'), '?q=typed')
  t.strictSame(visitor.documents, [])
  t.strictSame(visitor.asked, ['/about', '/about?q=1', '/about', '/', '/about', '/', '/about?q=typed'])
  t.strictSame(visitor.errors, [], 'the console is quiet')
})

t.test('the browser scrolls to the top, to a fragment, and back to the previous position', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  await visitor.evaluate(() => scrollTo(0, 1500), null)
  await visitor.evaluate(() => document.querySelector<HTMLElement>('nav a[href="/about"]')?.click(), null)
  await visitor.stands('About')
  await until(() => visitor.evaluate(() => scrollY === 0, null))
  await page.goBack()
  await visitor.stands('Home')
  await until(() => visitor.evaluate(() => scrollY === 1500, null))
  await visitor.evaluate(async () => void (await navigation.navigate('/about').finished), null)
  await visitor.evaluate(async () => void (await navigation.navigate('/#bottom').finished), null)
  await visitor.stands('Home')
  await until(() => visitor.evaluate(() => scrollY > 1500, null))
  visitor.asked.length = 0
  await visitor.evaluate(() => scrollTo(0, 0), null)
  await visitor.click('/#bottom')
  await until(() => visitor.evaluate(() => scrollY > 1500, null))
  await visitor.evaluate(() => {
    history.pushState(null, '', '?tab=2')
    history.replaceState(null, '', '?tab=3')
  }, null)
  t.strictSame(visitor.asked, [], 'nothing is asked for within a page')
  t.strictSame(visitor.documents, [])
})

t.test('Back from an entry that a dialog has added asks for nothing, and leaves the page as it is', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  await visitor.evaluate(async () => void (await navigation.navigate('/about').finished), null)
  await visitor.stands('About')
  visitor.asked.length = 0
  await visitor.evaluate(() => {
    const button = document.body.appendChild(document.createElement('button'))
    button.focus()
    history.pushState({ isOpen: true }, '')
  }, null)
  const popped = () => new Promise<unknown>((resolve) => addEventListener('popstate', ({ state }) => resolve(state)))
  const isPopped = visitor.evaluate(popped, null)
  await visitor.evaluate(() => history.back(), null)
  t.equal(await isPopped, null)
  await visitor.evaluate(() => Promise.resolve(navigation.transition?.finished), null)
  t.strictSame(visitor.asked, [])
  t.equal(await visitor.evaluate(() => document.activeElement?.localName, null), 'button')
  await page.goBack()
  await visitor.stands('Home')
  t.strictSame(visitor.documents, [])
})

t.test('a place in a part that arrives late is scrolled to when it arrives', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  const top = () => visitor.evaluate(() => scrollY, null)
  const nextFrame = () => visitor.evaluate(() => new Promise((resolve) => void requestAnimationFrame(resolve)), null)
  const isWaiting = async () => {
    await visitor.stands('Tall')
    await visitor.shown('#wait')
  }
  await visitor.start('/')
  await visitor.evaluate(async () => void (await navigation.navigate('/tall#below').finished), null)
  await isWaiting()
  t.equal(await top(), 0)
  small.gates.gate('tall1').open('one')
  await until(async () => (await top()) > 3_900)
  t.equal(await visitor.evaluate(() => document.querySelector(':target')?.id, null), 'below')

  await visitor.evaluate(() => scrollTo(0, 2_500), null)
  await visitor.evaluate(async () => void (await navigation.navigate('/about').finished), null)
  await visitor.stands('About')
  await until(async () => (await top()) === 0)
  await page.goBack()
  await isWaiting()
  small.gates.gate('tall2').open('two')
  await until(async () => (await top()) === 2_500)

  await page.goForward()
  await visitor.stands('About')
  await page.goBack()
  await isWaiting()
  await page.keyboard.press('Shift')
  small.gates.gate('tall3').open('three')
  await visitor.hasText('#later', 'three')
  await nextFrame()
  await nextFrame()
  t.ok((await top()) < 2_500, 'a page does not move after the visitor has used the keyboard')
  t.strictSame(visitor.documents, [])
})

t.test('URLs that are not pages are left to the browser', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  for (const { href, heading } of [
    { href: '/api', heading: 'Api' },
    { href: '/nowhere', heading: 'Nothing here' },
  ]) {
    await visitor.start('/about')
    await visitor.click(href)
    await visitor.stands(heading)
    t.strictSame(visitor.documents, [href])
    t.equal(new URL(page.url()).pathname, href)
    t.strictSame(visitor.errors, [])
    await page.goBack()
    await visitor.stands('About')
  }
  t.equal(gates.counts.api, 1, 'a route runs once')

  await visitor.start('/')
  await visitor.click('#reload')
  await visitor.stands('About')
  t.strictSame(visitor.documents, ['/about'], 'data-hydrant-reload')

  await visitor.start('/')
  await visitor.click('/robots.txt')
  await page.waitForURL(`${origin}/robots.txt`)
  t.strictSame(visitor.asked, [], 'a file')

  await visitor.start('/')
  const [opened] = await Promise.all([page.context().waitForEvent('page'), visitor.click('#blank')])
  await opened.close()
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    page
      .locator('nav a[href="/about"]')
      .first()
      .click({ modifiers: ['ControlOrMeta'] }),
  ])
  await tab.close()
  const [download] = await Promise.all([page.waitForEvent('download'), visitor.click('#download')])
  await download.cancel()
  t.equal(await page.title(), 'Home')
})

t.test('a download from a route changes neither the page nor the URL', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  const [download] = await Promise.all([page.waitForEvent('download'), visitor.click('/export')])
  t.equal(download.suggestedFilename(), 'export.csv')
  t.equal(page.url(), `${origin}/`)
  await visitor.hasText('#state', /^idle$/)
  await visitor.click('/about')
  await visitor.stands('About')
  t.strictSame(
    visitor.documents.filter((path) => path !== '/export'),
    [],
    'and navigations go on in the document',
  )
})

t.test('a download link that the browser announces as a navigation, as Firefox does, is a download', async (t) => {
  const init = () => Object.defineProperty(NavigateEvent.prototype, 'downloadRequest', { get: () => null })
  const visitor = await small.visit(t, { init })
  const { page } = visitor
  await visitor.start('/')
  await Promise.all([
    page.waitForEvent('download'),
    visitor.evaluate(() => document.getElementById('download')?.click(), null),
  ])
  t.equal(page.url(), `${origin}/`)
  t.equal(await visitor.read('h1'), 'Home')
})

t.test('a form whose target is not a page is sent by the browser, and runs once', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  await page.getByRole('button', { name: 'Post', exact: true }).click()
  await visitor.stands('Posted')
  t.match(await visitor.read('body'), 'text=typed')
  t.equal(gates.counts.posted, 1)
  await visitor.start('/')
  await page.getByRole('button', { name: 'Guarded' }).click()
  await visitor.stands('About')
  t.equal(gates.counts.guarded, 1, 'what a hook has answered is not sent twice: it is followed')
})

t.test('a change of the address by a script of the page does not end a navigation', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  const follow = (to: string) =>
    visitor.evaluate((to) => {
      const link = Object.assign(document.createElement('a'), { href: to })
      document.body.append(link)
      link.click()
      link.remove()
    }, to)
  const spy = () =>
    visitor.evaluate(() => {
      history.replaceState(null, '', '?spied')
      history.replaceState(null, '', '?spied=twice')
    }, null)
  await follow('/n/spied')
  await gates.gate('nspied').reached
  await visitor.hasText('#state', 'loading /n/spied')
  await spy()
  await spy()
  await visitor.hasText('#state', 'loading /n/spied')
  gates.gate('nspied').open()
  await page.waitForURL(`${origin}/n/spied`)
  await visitor.hasText('#state', /^idle$/)
  t.strictSame(visitor.asked, ['/n/spied'], 'it is not requested again')
  await page.goBack()
  await visitor.stands('Home')
  t.equal(page.url(), `${origin}/?spied=twice`)
  t.strictSame(visitor.documents, [])
  t.strictSame(visitor.errors, [])

  await follow('/n/stopped')
  await visitor.hasText('#state', 'loading /n/stopped')
  await visitor.evaluate(() => window.stop(), null)
  await visitor.hasText('#state', /^idle$/)
  await spy()
  t.match(await gates.gate('nstopped').left, { name: 'AbortError' })
  t.equal(page.url(), `${origin}/?spied=twice`, 'what the visitor has stopped is not begun again')
})

t.test('a newer click aborts the older one on both sides', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  await visitor.evaluate(() => {
    const titles: string[] = []
    new MutationObserver(() => titles.push(document.title)).observe(document.documentElement, {
      subtree: true,
      childList: true,
      characterData: true,
    })
    Object.assign(window, { titles })
  }, null)
  await visitor.click('/slow')
  await gates.gate('slow').reached
  await visitor.hasText('#state', 'loading /slow')
  await visitor.click('/about')
  t.match(await gates.gate('slow').left, { name: 'AbortError' })
  await visitor.stands('About')
  gates.gate('slow').open()
  await visitor.hasText('#state', /^idle$/)
  const titles = await visitor.evaluate(() => (window as unknown as { titles: string[] }).titles, null)
  t.notOk(titles.includes('Slow'))
  await page.goBack()
  await visitor.stands('Home')
  t.strictSame(visitor.documents, [], 'what never stood is not in the history')
  t.strictSame(visitor.errors, [])
})

t.test('redirects leave one history entry', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  await visitor.click('/redirects')
  await visitor.stands('About')
  t.equal(page.url(), `${origin}/about?from=redirect`)
  await page.goBack()
  await visitor.stands('Home')
  t.strictSame(visitor.documents, [])
  await visitor.click('/outside')
  await visitor.stands('About')
  t.match(page.url(), 'http://localhost:')
  await page.goBack()
  await visitor.stands('Home')
  t.equal(page.url(), `${origin}/`, 'to another origin as well')
  t.strictSame(visitor.errors, [])
})

t.test('endless redirects are left to the browser, which reports them', async (t) => {
  const visitor = await small.visit(t)
  await visitor.start('/')
  const [request] = await Promise.all([
    visitor.page.waitForEvent('requestfailed', (request) => request.resourceType() === 'document'),
    visitor.click('/loop'),
  ])
  t.match(request.failure()?.errorText, 'ERR_TOO_MANY_REDIRECTS')
})
