/// <reference lib="dom" />

import t from 'tap'
import { clientSentence } from '../../src/shared/sentence.ts'
import { ERROR } from '../site-server.ts'
import type { OpenPage } from './chromium.ts'
import { click, fieldOf, isInPlace, startInPlace, textOf, type, waitForText } from './in-place-site.ts'

const { open, done, origin, site, letGo } = await startInPlace(t)

const pathOf = ({ page }: OpenPage) => page.url().slice(origin.length)

t.test('a form for a route of server.ts is the browser’s', async (t) => {
  const opened = await open('/form')
  await Promise.all([opened.page.waitForEvent('load'), click(opened, '#send-api')])
  await waitForText(opened, '#raw', 'from a route')
  t.same(await done(), [{ path: '/api', body: 'text=x' }], 'sent once')
})

t.test('an action that answers itself runs once', async (t) => {
  const opened = await open('/form')
  const count = await textOf(opened, '#count')
  await click(opened, '#reply-send')
  await waitForText(opened, '#count', `${Number.parseInt(count ?? '', 10) + 1} done`)
  t.equal((await done()).length, 1)
})

t.test('hooks of server.ts answer before the action', async (t) => {
  const opened = await open('/form')
  await click(opened, '#send-guarded-redirect')
  await waitForText(opened, 'h1', 'Target')
  t.equal(pathOf(opened), '/target')
  await opened.page.goBack()
  await waitForText(opened, 'h1', 'Form')
  await click(opened, '#send-guarded')
  await waitForText(opened, '[role=alert]', '401 Log in first')
  t.equal(pathOf(opened), '/guarded')
  t.ok(await isInPlace(opened))
  t.same(await done(), [])
})

t.test('a page of another build lets the browser send the form', async (t) => {
  const posts: string[] = []
  for (const path of ['/form', '/script']) {
    const opened = await open(path, async ({ page }) => {
      page.on(
        'request',
        (request) =>
          request.method() === 'POST' && posts.push(request.url().slice(new URL(request.url()).origin.length)),
      )
      await page.route(/[?&]_hydrant$/, (route) =>
        route.continue({ headers: { ...route.request().headers(), 'hydrant-build': 'another' } }),
      )
    })
    await Promise.all([opened.page.waitForEvent('load'), click(opened, path === '/form' ? '#ok' : '#file')])
    await waitForText(opened, '#data', 'text')
    t.notOk(await isInPlace(opened))
  }
  const [form, script, ...more] = await done()
  t.same(
    form?.entries,
    [
      ['text', 'initial'],
      ['intent', 'ok'],
    ],
    'with its button',
  )
  t.same(script?.entries, [
    ['text', 'a\r\nb'],
    ['file', 'name.txt: content'],
  ])
  t.same(more, [])
  t.same(posts, ['/form?_hydrant', '/form', '/script?_hydrant', '/script'])
})

t.test('an action that fails', async (t) => {
  const opened = await open('/form')
  await click(opened, '#throw')
  await waitForText(opened, '[role=alert]', 'Digest: ')
  t.ok(await isInPlace(opened))
  const line = await site.waitForLine(({ level }) => level >= ERROR)
  t.match(line, { phase: 'action', method: 'POST', url: '/form', statusSent: undefined })
  t.match(await textOf(opened, '[role=alert]'), `Digest: ${line.digest}`)
  t.equal(pathOf(opened), '/form')
  t.equal((await done()).length, 1)
  const asked = opened.page.waitForRequest((request) => request.isNavigationRequest())
  await Promise.all([opened.page.waitForEvent('load'), click(opened, '[role=alert] button')])
  t.equal((await asked).method(), 'GET', 'Try again asks for the page')
  await waitForText(opened, 'h1', 'Form')
  t.same(await done(), [], 'and sends nothing again')
})

t.test('a form that could not be sent', async (t) => {
  let isCut = true
  const opened = await open('/form', ({ page }) =>
    page.route(/[?&]_hydrant$/, (route) => {
      const isSent = route.request().method() === 'POST'
      return isSent && isCut ? route.abort() : route.continue()
    }),
  )
  await type(opened, '#note [name=text]', 'precious')
  await click(opened, '#ok')
  await waitForText(opened, '[role=alert]', clientSentence('127.0.0.1'))
  t.ok(await opened.evaluate(() => document.querySelector('[role=alert]')?.nextElementSibling?.id === 'note', null))
  t.equal(await fieldOf(opened, '#note [name=text]'), 'precious')
  t.ok(await isInPlace(opened))
  t.same(await done(), [], 'nothing is sent again by itself')
  t.equal(opened.errors.length, 1, 'the console says why')
  isCut = false
  await click(opened, '#ok')
  await waitForText(opened, '#data', 'precious')
  t.equal(await textOf(opened, '[role=alert]'), null)
  t.equal((await done()).length, 1)
  isCut = true
  await click(opened, '#ok')
  await waitForText(opened, '[role=alert]', 'Application error')
  await click(opened, '#away')
  await waitForText(opened, 'h1', 'Target')
  t.equal(await textOf(opened, '[role=alert]'), null, 'the next page knows nothing of it')
})

t.test('an answer that is cut does not let anybody send the form again', async (t) => {
  const opened = await open('/form', ({ page }) =>
    page.route(/[?&]_hydrant$/, async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      const response = await route.fetch()
      return route.fulfill({ response, body: (await response.text()).slice(0, 40) })
    }),
  )
  const count = await textOf(opened, '#count')
  await click(opened, '#ok')
  await waitForText(opened, '#count', `${Number.parseInt(count ?? '', 10) + 1} done`)
  t.equal(await textOf(opened, '[role=alert]'), null)
  t.equal((await done()).length, 1)
})

for (const hasApi of [true, false]) {
  const without = ({ page }: OpenPage) =>
    page.addInitScript(() => {
      Reflect.deleteProperty(window, 'navigation')
    })

  t.test(`useAction ${hasApi ? 'with' : 'without'} the Navigation API`, async (t) => {
    const opened = await open('/script', hasApi ? undefined : without)
    t.equal(await opened.evaluate(() => 'navigation' in window, null), hasApi)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      await click(opened, `#${method}`)
      await waitForText(opened, '#data', `{"method":"${method}","text":"${method}"}`)
      t.match(await textOf(opened, '#acted'), method)
      t.match(await done(), [{ method, path: '/script' }])
    }
    await waitForText(opened, '#log', 'resolved at /script')
    await click(opened, '#file')
    await waitForText(opened, '#data', 'a\\r\\nb')
    t.match(await done(), [
      {
        entries: [
          ['text', 'a\r\nb'],
          ['file', 'name.txt: content'],
        ],
      },
    ])
    t.equal(await textOf(opened, '#own'), 'false')
    await click(opened, '#waiting')
    await waitForText(opened, '#own', 'true')
    t.equal(await textOf(opened, '#pending'), 'true')
    await letGo()
    await waitForText(opened, '#own', 'false')
    const count = await textOf(opened, '#count')
    await click(opened, '#refreshed')
    await waitForText(opened, '#count', `${Number.parseInt(count ?? '', 10) + 1} done`)
    await waitForText(opened, '#data', 'none')
    t.ok(await isInPlace(opened))
    t.equal((await done()).length, 2)
    await Promise.all([hasApi || opened.page.waitForEvent('load'), click(opened, '#redirected')])
    await waitForText(opened, 'h1', 'Target')
    t.equal(await isInPlace(opened), hasApi)
    t.equal(await textOf(opened, '#acted'), 'none')
    t.equal((await done()).length, 1)
    t.same(opened.errors, [])
  })
}

t.test('forms without the Navigation API are ordinary posts', async (t) => {
  const opened = await open('/form', ({ page }) =>
    page.addInitScript(() => {
      Reflect.deleteProperty(window, 'navigation')
    }),
  )
  await Promise.all([opened.page.waitForEvent('load'), click(opened, '#problem')])
  await opened.hydrated()
  t.notOk(await isInPlace(opened))
  t.equal(await textOf(opened, '#acted'), '{"intent":"problem","text":"initial"}', 'useAction has what was rendered')
  t.equal((await done()).length, 1)
  t.same(opened.errors, [])
})
