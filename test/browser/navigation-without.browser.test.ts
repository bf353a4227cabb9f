/// <reference lib="dom" />

// Browsers that lack parts of the APIs for navigations.

import t from 'tap'
import { serveSmallSite } from './navigation-site.ts'

const small = await serveSmallSite(t)
const { origin, served, gates } = small

t.test('without the Navigation API everything is an ordinary page load', async (t) => {
  const visitor = await small.visit(t, {
    init: () => {
      // Removes a getter of the window itself with `delete`.
      delete (window as { navigation?: unknown }).navigation
    },
  })
  const { page } = visitor
  await visitor.goto(`${origin}/`, 'load')
  await visitor.hydrated()
  t.equal(await visitor.evaluate(() => 'navigation' in window, null), false)
  visitor.documents.length = 0
  await visitor.click('/about')
  await visitor.stands('About')
  await visitor.hydrated()
  await visitor.click('#count')
  await visitor.hasText('#count', '1')
  await page.goBack()
  await visitor.stands('Home')
  await page.getByRole('button', { name: 'Search' }).click()
  await visitor.stands('About')
  t.equal(await visitor.read('#query'), '?q=typed')
  await visitor.click('/fails')
  await visitor.shown('[role=alert]')
  t.match(await visitor.read('[role=alert]'), String(served.log.errors().at(-1)?.digest))
  await visitor.click('/missing')
  await visitor.stands('Nothing here')
  await visitor.click('/redirects')
  await visitor.stands('About')
  t.strictSame(
    visitor.documents.filter((path) => path !== '/'),
    ['/about', '/about?q=typed', '/fails', '/missing', '/redirects', '/about?from=redirect'],
  )
  t.strictSame(visitor.asked, [], 'nor is anything fetched ahead')
  t.equal(await visitor.read('#state'), 'idle')
  t.strictSame(
    visitor.errors.filter((text) => !text.includes('failed')),
    [],
  )
})

function withoutPrecommit() {
  delete (window as { NavigationPrecommitController?: unknown }).NavigationPrecommitController
}

t.test('a link within the page does not end a navigation whose URL the browser has already', async (t) => {
  const visitor = await small.visit(t, { init: withoutPrecommit })
  const { page } = visitor
  await visitor.start('/')
  await visitor.click('/slow')
  await page.waitForURL(`${origin}/slow`)
  await visitor.evaluate(() => {
    location.hash = 'state'
  }, null)
  await page.waitForURL(`${origin}/slow#state`)
  t.equal(await visitor.read('h1'), 'Home')
  gates.gate('slow').open()
  await visitor.stands('Slow')
  t.equal(page.url(), `${origin}/slow#state`)
  t.strictSame(visitor.documents, [])
  t.strictSame(visitor.errors, [])
})

t.test('works if the browser changes the URL before the page has arrived', async (t) => {
  const visitor = await small.visit(t, { init: withoutPrecommit })
  const { page } = visitor
  await visitor.start('/')
  await visitor.click('/slow')
  await page.waitForURL(`${origin}/slow`)
  t.equal(await visitor.read('h1'), 'Home')
  gates.gate('slow').open()
  await visitor.stands('Slow')
  await visitor.click('/redirects')
  await visitor.stands('About')
  t.equal(page.url(), `${origin}/about?from=redirect`)
  await page.goBack()
  await visitor.stands('Slow')
  await visitor.click('/fails')
  await visitor.shown('[role=alert]')
  t.equal(page.url(), `${origin}/fails`)
  await visitor.click('/')
  await visitor.stands('Home')
  t.strictSame(visitor.documents, [])
  await visitor.click('/api')
  await visitor.stands('Api')
  t.strictSame(visitor.documents, ['/api'])
  await page.goBack()
  await visitor.stands('Home')
  t.equal(page.url(), `${origin}/`)
  await visitor.start('/')
  await visitor.click('/outside')
  await visitor.stands('About')
  t.match(page.url(), 'http://localhost:')
  await page.goBack()
  await visitor.stands('Home')
  t.equal(page.url(), `${origin}/`)
  t.strictSame(visitor.errors, [])
})
