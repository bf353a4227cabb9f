/// <reference lib="dom" />

// Failures during a navigation, or on the new page.

import t from 'tap'
import { clientSentence, serverSentence } from '../../src/shared/wire/public-error.ts'
import { scriptOf } from '../server/served.ts'
import { serveSmallSite } from './navigation-site.ts'

const small = await serveSmallSite(t)
const { origin, gates, served } = small

// Browsers log some failures of their own, at an unspecified time.
const serverErrors = () => served.log.errors().filter(({ side }) => side === 'server')

t.test('if a load fails, the log’s digest replaces the page, at the target’s URL', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  await visitor.fill('#typed', 'kept')
  await visitor.click('/fails')
  await visitor.shown('[role=alert]')
  const [failure] = serverErrors().slice(-1)
  const lines = (await visitor.read('[role=alert]')).split('\n').filter(Boolean)
  t.strictSame(lines, [serverSentence('127.0.0.1'), `Digest: ${failure?.digest}`, 'Try again'])
  t.equal(page.url(), `${origin}/fails`)
  t.equal(await page.title(), 'Application error')
  t.equal(await visitor.count('meta[name=robots][content=noindex]'), 1)
  t.equal(await visitor.valueOf('#typed'), 'kept')
  await page.goBack()
  await visitor.stands('Home')
  t.equal(await visitor.count('meta[name=robots]'), 0)
  await page.goForward()
  await visitor.shown('[role=alert]')
  const again = serverErrors().at(-1)
  t.not(again?.digest, failure?.digest)
  t.match(await visitor.read('[role=alert]'), String(again?.digest), 'it has been tried again')
  t.strictSame(visitor.documents, [])
  await Promise.all([page.waitForEvent('load'), visitor.click('[role=alert] button')])
  t.strictSame(visitor.documents, ['/fails'], 'Try again loads the document')
})

t.test('a missing page shows the 404 page', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  const errors = serverErrors().length
  await visitor.click('/missing')
  await visitor.stands('Nothing here')
  t.equal(await page.title(), 'Nothing')
  t.equal(await visitor.count('meta[name=robots][content=noindex]'), 1)
  t.strictSame(visitor.documents, [], 'notFound() in the layout that stands')
  await visitor.click('/')
  await visitor.stands('Home')
  await visitor.click('/nowhere')
  await visitor.stands('Nothing here')
  t.strictSame(visitor.documents, ['/nowhere'])
  t.equal(serverErrors().length, errors)
})

t.test('a missing page script causes an ordinary page load of the target', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  let isBlocked = true
  await page.route(`**/${scriptOf(small.dir, 'pages/about.tsx')}`, (route) =>
    isBlocked ? route.fulfill({ status: 404 }) : route.continue(),
  )
  page.on('request', (request) => {
    if (request.resourceType() === 'document') isBlocked = false
  })
  await visitor.click('/about')
  await visitor.stands('About')
  t.equal(page.url(), `${origin}/about`)
  t.strictSame(visitor.documents, ['/about'])
  await page.goBack()
  await visitor.stands('Home')
})

t.test('a page of an older build causes an ordinary page load of the target', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  await page.route(/[?&]_hydrant$/, (route) => {
    route.continue({ headers: { ...route.request().headers(), 'hydrant-build': 'older' } })
  })
  await visitor.click('/about?q=1')
  await visitor.stands('About')
  t.strictSame(visitor.documents, ['/about?q=1'])
  t.ok(served.log.lines.some(({ level, msg }) => level === 30 && /another build/.test(msg)))
})

t.test('Back to a page of an older build loads its document, and the history keeps working', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/about')
  await visitor.click('/later')
  await visitor.stands('Later')
  await visitor.click('/')
  await visitor.stands('Home')
  await page.route(/[?&]_hydrant$/, (route) => {
    route.continue({ headers: { ...route.request().headers(), 'hydrant-build': 'older' } })
  })
  await page.goBack({ waitUntil: 'commit' })
  await visitor.stands('Later')
  await page.goBack({ waitUntil: 'commit' })
  await visitor.stands('About')
  await page.goForward({ waitUntil: 'commit' })
  await visitor.stands('Later')
  await page.goForward({ waitUntil: 'commit' })
  await visitor.stands('Home')
  t.ok(visitor.documents.includes('/later'))
})

t.test('a network failure causes an ordinary page load of the target, where the browser reports it', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  await page.context().setOffline(true)
  const [request] = await Promise.all([
    page.waitForEvent('requestfailed', (request) => request.resourceType() === 'document'),
    visitor.click('/about'),
  ])
  t.equal(request.url(), `${origin}/about`)
  await page.waitForURL('chrome-error://chromewebdata/')
  await page.context().setOffline(false)
  await page.goBack()
  await visitor.stands('Home')
})

t.test('promises in the data arrive after the page, or their failure does', async (t) => {
  const visitor = await small.visit(t)
  await visitor.start('/')
  await visitor.click('/later')
  await visitor.stands('Later')
  await visitor.shown('#wait')
  gates.gate('later').fail(new Error('SECRET-MARKER'))
  await visitor.shown('[role=alert]')
  t.match(await visitor.read('[role=alert]'), `Digest: ${serverErrors().at(-1)?.digest}`)
  t.equal(await visitor.read('h1'), 'Later', 'the rest of the page stands')
  t.strictSame(visitor.documents, [])
})

t.test('data of a layout arrives even if the page with which it was loaded has been left', async (t) => {
  const visitor = await small.visit(t)
  await visitor.start('/')
  await visitor.click('/late-layout/one')
  await visitor.stands('One')
  await visitor.click('main a')
  await visitor.stands('Two')
  gates.gate('late-layout').open('of the layout')
  await visitor.shown('#of-layout')
  t.strictSame(visitor.documents, [])
})

t.test('a failure in the browser ends with the page', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  await visitor.click('/breaks')
  await visitor.click('#break')
  await visitor.shown('[role=alert]')
  t.match(await visitor.read('[role=alert]'), clientSentence('127.0.0.1'))
  await visitor.click('/about')
  await visitor.stands('About')
  await page.goBack()
  await visitor.stands('Breaks')
  t.equal(await visitor.count('[role=alert]'), 0)
  t.not(await visitor.read('#break'), '')
  await visitor.click('#break')
  await visitor.shown('[role=alert]')
  t.strictSame(visitor.documents, [])
})

t.test('a component that throws as it arrives is replaced by the fallback, inside the current layouts', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  for (const href of ['/throws', '/throws-around']) {
    await visitor.click(href)
    await visitor.shown('[role=alert]')
    t.match(await visitor.read('[role=alert]'), clientSentence('127.0.0.1'))
    t.notMatch(await visitor.read('main'), 'SECRET-MARKER')
    t.equal(page.url(), origin + href)
    t.ok(visitor.errors.some((text) => text.includes('SECRET-MARKER')))
    await visitor.click('/')
    await visitor.stands('Home')
  }
  await visitor.click('/own-error')
  await visitor.shown('[role=alert]')
  t.match(
    await visitor.read('[role=alert]'),
    `Digest: ${serverErrors().at(-1)?.digest}`,
    'the first failure, when the error page fails as well',
  )
  await visitor.click('/throws')
  await visitor.hasText('[role=alert]', 'client-side')
  await page.goBack()
  await visitor.hasText('[role=alert]', 'server-side')
  t.strictSame(visitor.documents, [])
})
