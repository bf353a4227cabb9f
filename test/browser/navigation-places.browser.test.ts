/// <reference lib="dom" />

// Navigations from documents of all kinds, and between layouts.

import t from 'tap'
import { serveSmallSite, takesNavigations } from './navigation-site.ts'

const small = await serveSmallSite(t)
const { origin, gates, served } = small

t.test('navigates from a document that has failed or does not exist', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  for (const path of ['/fails', '/nowhere', '/missing']) {
    await visitor.start(path)
    t.equal(await visitor.count('meta[name=robots]'), 1)
    await visitor.click('/about')
    await visitor.stands('About')
    t.equal(await page.title(), 'About')
    t.equal(await visitor.count('meta[name=robots]'), 0, 'which is forgotten')
    t.equal(await visitor.count('[role=alert]'), 0)
    t.strictSame(visitor.documents, [])
    t.strictSame(visitor.errors, [])
  }
})

t.test('navigates from a document that is still arriving', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  await visitor.goto(`${origin}/later`, 'commit')
  await takesNavigations(page)
  visitor.documents.length = 0
  await visitor.shown('#wait')
  await visitor.click('/about')
  await visitor.stands('About')
  gates.gate('later').open('at last')
  await page.waitForLoadState('load')
  t.equal(await visitor.count('#later'), 0)
  t.equal(await visitor.read('h1'), 'About')
  await visitor.click('/users/1')
  await visitor.stands('User')
  await page.goBack()
  await visitor.stands('About')
  await page.goBack()
  await visitor.stands('Later')
  await visitor.shown('#later')
  t.equal(await visitor.read('#later'), 'at last')
  t.strictSame(visitor.documents, [])
  t.strictSame(visitor.errors, [])
})

t.test('layouts below a parameter belong to its value', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/users/1')
  await visitor.click('#user-count')
  await visitor.click('#layout-count')
  await visitor.click('/users/2')
  await visitor.hasText('#user-count', '2: 0')
  await visitor.click('#user-count')
  const loaded = gates.counts['user 2']
  await visitor.click('/users/2/posts')
  await visitor.stands('Posts')
  t.equal(await visitor.read('#user-count'), '2: 1', 'it stays with its state')
  t.equal(gates.counts['user 2'], loaded, 'and is not loaded again')
  t.equal(await visitor.read('#layout-count'), '1')
  await page.goBack()
  await visitor.stands('User')
  await page.goBack()
  await visitor.hasText('#user-count', '1: 0')
  t.strictSame(visitor.documents, [])
})

t.test('visitors who click quickly end at the last target', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  for (const href of ['/about', '/styled', '/users/1', '/users/2']) {
    await visitor.click(href)
    await page.waitForURL(origin + href)
  }
  await visitor.evaluate(() => {
    history.back()
    history.back()
  }, null)
  await visitor.evaluate(() => history.go(-1), null)
  await visitor.stands('About')
  await page.waitForURL(`${origin}/about`)
  await visitor.evaluate(() => {
    for (const link of document.querySelectorAll('a')) if (link.pathname.startsWith('/users')) link.click()
  }, null)
  await visitor.stands('Posts')
  t.equal(page.url(), `${origin}/users/2/posts`)
  await visitor.hasText('#state', /^idle$/)
  await page.goBack()
  await visitor.stands('About')
  t.strictSame(visitor.documents, [])
  t.strictSame(visitor.errors, [])
  t.strictSame(
    served.log.errors().filter(({ url }) => url !== '/fails'),
    [],
  )
})

t.test('navigates below a base', async (t) => {
  const based = await serveSmallSite(t, { base: '/shop' })
  const visitor = await based.visit(t)
  const { page } = visitor
  await visitor.start('/shop')
  const go = (path: string) => visitor.evaluate((href) => void navigation.navigate(href), path)
  await go('/shop/redirects')
  await visitor.stands('About')
  t.equal(page.url(), `${based.origin}/shop/about?from=redirect`)
  await go('/shop?q=1')
  await visitor.stands('Home')
  t.strictSame(visitor.documents, [])
  await go('/shopping')
  await page.getByText('There is nothing at this address.').waitFor()
  t.equal(visitor.asked.length, 3, 'what only begins like the base is not asked for')
})
