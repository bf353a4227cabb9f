/// <reference lib="dom" />

import t from 'tap'
import { scriptOf } from '../server/served.ts'
import { ERROR } from '../site-server.ts'
import { until } from '../until.ts'
import type { OpenPage } from './chromium.ts'
import { isInPlace, startInPlace, textOf } from './in-place-site.ts'
import { takesNavigations } from './navigation-site.ts'

const { open, done, dir, origin, site, letGo } = await startInPlace(t)

const pathOf = ({ page }: OpenPage) => page.url().slice(origin.length)

t.test('a form for a route of server.ts is left to the browser', async (t) => {
  const opened = await open(t, '/form')
  await Promise.all([opened.page.waitForEvent('load'), opened.click('#send-api')])
  await opened.hasText('#raw', 'from a route')
  t.same(await done(), [{ path: '/api', body: 'text=x' }], 'sent once')
})

t.test('an action that sends the response itself runs once', async (t) => {
  const opened = await open(t, '/form')
  const count = await textOf(opened, '#count')
  await opened.click('#reply-send')
  await opened.hasText('#count', `${Number.parseInt(count ?? '', 10) + 1} done`)
  t.equal((await done()).length, 1)
})

t.test('hooks of server.ts respond before the action', async (t) => {
  const opened = await open(t, '/form')
  await opened.click('#send-guarded-redirect')
  await opened.hasText('h1', 'Target')
  t.equal(pathOf(opened), '/target')
  await opened.page.goBack()
  await opened.hasText('h1', 'Form')
  await opened.click('#send-guarded')
  await opened.hasText('[role=alert]', '401 Log in first')
  t.equal(pathOf(opened), '/guarded')
  t.ok(await isInPlace(opened))
  t.same(await done(), [])
})

t.test('a page of another build lets the browser send the form', async (t) => {
  const posts: string[] = []
  for (const path of ['/form', '/script']) {
    const opened = await open(t, path, async ({ page }) => {
      page.on(
        'request',
        (request) =>
          request.method() === 'POST' && posts.push(request.url().slice(new URL(request.url()).origin.length)),
      )
      await page.route(/[?&]_hydrant$/, (route) =>
        route.continue({ headers: { ...route.request().headers(), 'hydrant-build': 'another' } }),
      )
    })
    if (path === '/script') {
      await opened.click('#PUT')
      await opened.hasText('[role=alert]', 'This was not sent.')
      await opened.click('#file')
      await opened.hasText('#log', 'This was not sent.')
      t.ok(await isInPlace(opened))
      continue
    }
    await Promise.all([opened.page.waitForEvent('load'), opened.click('#ok')])
    await opened.hasText('#data', 'text')
    t.notOk(await isInPlace(opened))
  }
  const [form, ...more] = await done()
  t.same(
    form?.entries,
    [
      ['text', 'initial'],
      ['intent', 'ok'],
    ],
    'with its button',
  )
  t.same(more, [], 'a script does not leave the page')
  t.same(posts, ['/form?_hydrant', '/form', '/script?_hydrant'])
})

t.test('a failing action shows the sentence in place of the page', async (t) => {
  const opened = await open(t, '/form')
  await opened.fill('#note [name=text]', 'precious')
  await opened.click('#throw')
  await opened.hasText('[role=alert]', 'Digest: ')
  t.ok(await isInPlace(opened))
  const line = await site.waitForLine(({ level }) => level >= ERROR)
  t.match(line, { phase: 'action', method: 'POST', url: '/form', statusSent: undefined })
  t.match(await textOf(opened, '[role=alert]'), `Digest: ${line.digest}`)
  t.equal(pathOf(opened), '/form')
  t.equal((await done()).length, 1)
  const asked = opened.page.waitForRequest((request) => request.url().includes('/form'))
  await opened.click('[role=alert] button')
  t.equal((await asked).method(), 'GET', 'Try again asks for the page')
  await opened.hasText('h1', 'Form')
  t.equal(await opened.valueOf('#note [name=text]'), 'precious', 'and fills in the form')
  t.ok(await isInPlace(opened))
  t.same(await done(), [], 'and sends nothing again')
})

const NOT_SENT = 'was not sent: there is no network connection'
const UNKNOWN = 'may or may not have arrived'

t.test('a form that is sent without a network says so, and keeps the typed text', async (t) => {
  const opened = await open(t, '/form')
  const { page } = opened
  await opened.fill('#note [name=text]', 'precious')
  const posts: string[] = []
  page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()))
  await page.context().setOffline(true)
  await opened.click('#ok')
  await opened.hasText('[role=alert]', `The form ${NOT_SENT}`)
  t.notMatch(await textOf(opened, '[role=alert]'), 'Application error')
  t.equal(await opened.count('[role=alert] [lang=en][dir=ltr]'), 1, 'screen readers read it in its language')
  t.ok(await opened.evaluate(() => document.querySelector('[role=alert]')?.nextElementSibling?.id === 'note', null))
  t.equal(await opened.valueOf('#note [name=text]'), 'precious')
  t.ok(await isInPlace(opened))
  t.equal(opened.errors.length, 1, 'the console says why')
  await opened.click('#send-second')
  await until(async () => (await opened.count('[role=alert]')) > 1)
  t.equal(await opened.count('[role=alert]'), 2, 'each form its own')
  await page.context().setOffline(false)
  t.equal(posts.length, 2, 'nothing is sent again by itself')
  t.same(await done(), [])
  await opened.click('#ok')
  await opened.hasText('#data', 'precious')
  t.equal(await opened.count('[role=alert]'), 0)
  t.equal((await done()).length, 1)
  await page.context().setOffline(true)
  await opened.click('#ok')
  await opened.hasText('[role=alert]', NOT_SENT)
  await page.context().setOffline(false)
  await opened.click('#away')
  await opened.hasText('h1', 'Target')
  t.equal(await opened.count('[role=alert]'), 0, 'the next page knows nothing of it')
})

t.test('a script that sends without a network gets an error', async (t) => {
  const opened = await open(t, '/script')
  await takesNavigations(opened)
  await opened.page.context().setOffline(true)
  await opened.click('#POST')
  await opened.hasText('#log', `This ${NOT_SENT}`)
  await opened.hasText('[role=alert]', `This ${NOT_SENT}`)
  t.equal(await opened.count('.hydrant-notice'), 0, 'the component shows it')
  t.same(await done(), [])
})

t.test('if the connection of a form is cut, the notice says that the form may have arrived', async (t) => {
  const opened = await open(t, '/form')
  const { page } = opened
  await opened.fill('#note [name=text]', 'precious')
  let posts = 0
  page.on('request', (request) => {
    if (request.method() === 'POST') posts++
  })
  await opened.click('#cut')
  await opened.hasText('[role=alert]', `The form ${UNKNOWN}`)
  t.equal(await opened.valueOf('#note [name=text]'), 'precious')
  t.ok(await isInPlace(opened))
  t.ok((await done()).length > 0, 'it has')
  t.equal(posts, 1)
  await page.route('**/*', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
  await opened.click('#ok')
  await opened.hasText('[role=alert]', UNKNOWN)
  t.same(await done(), [], 'or it has not')
})

t.test('after a response that is cut, no notice offers to send the form again', async (t) => {
  const opened = await open(t, '/form', ({ page }) =>
    page.route(/[?&]_hydrant$/, async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      const response = await route.fetch()
      return route.fulfill({ response, body: (await response.text()).slice(0, 40) })
    }),
  )
  const count = await textOf(opened, '#count')
  await opened.click('#ok')
  await opened.hasText('#count', `${Number.parseInt(count ?? '', 10) + 1} done`)
  t.equal(await textOf(opened, '[role=alert]'), null)
  t.equal((await done()).length, 1)
})

for (const hasApi of [true, false]) {
  const without = ({ page }: OpenPage) =>
    page.addInitScript(() => {
      Reflect.deleteProperty(window, 'navigation')
    })

  t.test(`useSubmission ${hasApi ? 'with' : 'without'} the Navigation API`, async (t) => {
    const opened = await open(t, '/script', hasApi ? undefined : without)
    t.equal(await opened.evaluate(() => 'navigation' in window, null), hasApi)
    const count = Number.parseInt((await textOf(opened, '#count')) ?? '', 10)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      await opened.click(`#${method}`)
      await opened.hasText('#data', `{"method":"${method}","text":"${method}"}`)
      t.equal(await textOf(opened, '#acted'), 'none', 'each has its own state')
      t.match(await done(), [{ method, path: '/script' }])
    }
    await opened.hasText('#log', 'resolved at /script')
    await opened.click('#file')
    await opened.hasText('#data', 'a\\r\\nb')
    t.match(await done(), [
      {
        entries: [
          ['text', 'a\r\nb'],
          ['file', 'name.txt: content'],
        ],
      },
    ])
    t.equal(await textOf(opened, '#own'), 'false')
    await opened.click('#waiting')
    await opened.hasText('#own', 'true')
    t.equal(await textOf(opened, '#pending'), 'false')
    await letGo()
    await opened.hasText('#own', 'false')
    // The fresh data follows the result.
    await opened.hasText('#count', `${count + 6} done`)
    await opened.click('#refreshed')
    await opened.hasText('#count', `${count + 7} done`)
    await opened.hasText('#data', 'none')
    t.ok(await isInPlace(opened))
    t.equal((await done()).length, 2)
    await opened.click('#posted')
    await opened.hasText('#other-data', 'x')
    t.equal(pathOf(opened), '/script')
    t.same(await done(), [{ path: '/other' }])
    await Promise.all([hasApi || opened.page.waitForEvent('load'), opened.click('#redirected')])
    await opened.hasText('h1', 'Target')
    t.equal(await isInPlace(opened), hasApi)
    t.equal(await textOf(opened, '#acted'), 'none')
    t.equal((await done()).length, 1)
    t.same(opened.errors, [])
  })
}

t.test('without the script for forms the browser sends them, once', async (t) => {
  const missing: string[] = []
  const opened = await open(t, '/form', ({ page }) =>
    page.route(`**/${scriptOf(dir, 'client/navigator.ts')}`, (route) => {
      missing.push(route.request().url())
      return route.abort()
    }),
  )
  t.ok(missing.length > 0)
  await Promise.all([opened.page.waitForEvent('load'), opened.click('#problem')])
  await opened.hasText('#data', '{"intent":"problem","text":"initial"}')
  t.notOk(await isInPlace(opened))
  t.equal((await done()).length, 1)
})

t.test('the navigation by which React announces a transition is ignored', async (t) => {
  const opened = await open(t, '/form')
  const { page } = opened
  await takesNavigations(page)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await opened.evaluate(async () => {
    const history = 'replace'
    navigation.addEventListener('navigate', (event) => event.intercept({ focusReset: 'manual' }), { once: true })
    await navigation.navigate(location.href, { info: 'react-transition', history }).finished
  }, null)
  t.same(asked, [])
  t.equal(await textOf(opened, '#state'), 'idle')
})

t.test('forms without the Navigation API are ordinary posts', async (t) => {
  const opened = await open(t, '/form', ({ page }) =>
    page.addInitScript(() => {
      Reflect.deleteProperty(window, 'navigation')
    }),
  )
  await Promise.all([opened.page.waitForEvent('load'), opened.click('#problem')])
  await opened.hydrated()
  t.notOk(await isInPlace(opened))
  t.equal(
    await textOf(opened, '#acted'),
    '{"intent":"problem","text":"initial"}',
    'useSubmission has what was rendered',
  )
  t.equal((await done()).length, 1)
  t.same(opened.errors, [])
})

t.test('the browser sends a form when another script has replaced functions that sending needs', async (t) => {
  for (const name of ['fetch', 'AbortController'] as const) {
    const opened = await open(t, '/form')
    await opened.evaluate((name) => {
      Object.assign(globalThis, {
        [name]() {
          throw new Error('replaced')
        },
      })
    }, name)
    await Promise.all([opened.page.waitForEvent('load'), opened.click('#ok')])
    await opened.hasText('#data', 'text')
    t.notOk(await isInPlace(opened), name)
    t.equal((await done()).length, 1, 'sent once')
  }
})
