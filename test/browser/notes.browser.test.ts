/// <reference lib="dom" />

import t from 'tap'
import { startSite } from '../site-server.ts'
import { until } from '../until.ts'
import { launchChromium, type OpenPage } from './chromium.ts'

const site = await startSite(t)
const chromium = await launchChromium(t)
const notes = `http://127.0.0.1:${site.port}/notes`

const ADD = 'form > .button'
const DELETE = 'li button[value=delete]'

for (const javaScript of [true, false]) {
  const how = javaScript ? 'with JavaScript, in place' : 'without JavaScript'

  t.test(`notes are written, refused and deleted ${how}`, async (t) => {
    const open = await chromium.open({ javaScript }, t)
    await open.goto(notes, 'load')
    if (javaScript) await open.hydrated()
    const countDocuments = watchDocuments(open)
    const press = (selector: string) =>
      javaScript ? open.click(selector) : Promise.all([open.page.waitForEvent('load'), open.click(selector)])

    await open.fill('textarea', ' \n ')
    await press(ADD)
    await open.hasText('#text-error', 'Write something.')

    const long = `<b>${'x'.repeat(280)}`
    await open.fill('textarea', long)
    await open.click('[value=yellow]')
    await press(ADD)
    await open.hasText('#text-error', 'That is 283 characters long; a note has at most 280.')
    await waitForFocus(open, 'text')
    t.strictSame(await look(open), {
      text: long,
      colour: 'yellow',
      focus: 'text',
      invalid: 'true',
      described: 'text-error text-hint',
      bold: 0,
    })

    await open.fill('textarea', `<b onclick="x">${how}</b>\n& a second line\u202e`)
    await press(ADD)
    await open.hasText('li', how)
    t.equal(await open.read('li p'), `<b onclick="x">${how}</b>\n& a second line`, 'text stays text')
    const fresh = { text: '', colour: 'red', focus: javaScript ? 'text' : '', invalid: null, described: 'text-hint' }
    await waitForFocus(open, fresh.focus)
    t.strictSame(await look(open), { ...fresh, bold: 0 }, 'the form is empty again')

    await press('li a')
    await open.hasText('h1', /^Note \d/)
    const own = await open.evaluate(() => location.href, null)
    t.match(await open.evaluate(() => document.title, null), /^Note \d+ · Hydrant$/)
    t.match(await open.read('main p'), how)
    await press('main p > a')
    await open.hasText('h1', 'Notes')

    await press(DELETE)
    await open.hasText('#list', 'No note yet')
    if (javaScript) await waitForFocus(open, 'list')
    t.equal(await open.evaluate(() => location.pathname, null), '/notes')
    if (javaScript) t.equal(countDocuments(), 0, 'no document was loaded')

    const gone = await open.goto(own, 'load')
    t.equal(gone.status(), 404)
    t.equal(await open.read('h1'), 'There is no page here')
  })
}

t.test('buttons show their progress, and a note that was deleted meanwhile is not found', async (t) => {
  const open = await chromium.open({}, t)
  const cookie = await write('short-lived')
  await become(open, cookie)
  await open.goto(notes, 'load')
  await open.hydrated()
  const own = await open.evaluate(() => document.querySelector<HTMLAnchorElement>('li a')?.href ?? '', null)
  const answer = await fetch(own, { method: 'DELETE', headers: { accept: 'application/json', cookie } })
  t.equal(answer.status, 204)

  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await open.page.route(/[?&]_hydrant$/, async (route) => {
    await held
    await route.continue()
  })
  await open.click(DELETE)
  await open.hasText(DELETE, 'Deleting…')
  t.equal(await open.read(ADD), 'Add the note', 'each form its own')
  release()
  await open.hasText('#list', 'No note yet')
  t.equal(await open.read('h1'), 'Notes', 'the page stays')
  t.equal(await open.evaluate(() => document.querySelectorAll('li form').length, null), 0)
  t.strictSame(open.errors, [])
})

t.test('the list is ahead of the server, is fresh after a return, and takes reports', async (t) => {
  const open = await chromium.open({}, t)
  const { page } = open
  await open.goto(notes, 'load')
  await open.hydrated()
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/[?&]_hydrant$/, async (route) => {
    if (route.request().method() === 'POST') await held
    await route.continue()
  })
  await open.fill('textarea', '  ahead ')
  await open.click('[value=blue]')
  await open.click(ADD)
  await open.hasText('li[aria-busy=true] [data-colour=blue] p', /^ahead$/)
  release()
  await open.shown('li a')
  t.strictSame(await texts(open), ['ahead'], 'the server has stored it')
  t.equal(await open.count('li[aria-busy]'), 0)

  await open.fill('textarea', 'typed')
  const cookie = await write('of somebody else')
  await open.evaluate(() => document.dispatchEvent(new Event('visibilitychange')), null)
  await open.hasText('li p', 'of somebody else')
  t.equal(await open.valueOf('textarea'), 'typed')

  const [{ id } = { id: 0 }] = (await readNotes()).notes
  const loads: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'GET' && new URL(request.url()).pathname === '/notes') loads.push(request.url())
  })
  await page.getByRole('button', { name: `Report note ${id}` }).click()
  await open.hasText('li [role=status]', 'Thank you.')
  await until(() => site.lines.some(({ msg }) => msg === 'a visitor has reported a note'))
  t.strictSame(loads, [], 'no load runs after a report')
  t.strictSame(open.errors, [])

  const plain = await chromium.open({ javaScript: false }, t)
  await plain.goto(notes, 'load')
  await Promise.all([plain.page.waitForEvent('load'), plain.click(`[aria-label="Report note ${id}"]`)])
  await plain.hasText('[role=status]', 'Thank you.')
  await plain.goto(`${notes}/report`, 'load')
  await plain.fill('#id', '999999')
  await Promise.all([plain.page.waitForEvent('load'), plain.click('form > .button')])
  await plain.hasText('#id-error', 'There is no note with this number.')
  t.equal(await plain.valueOf('#id'), '999999')

  await open.click(DELETE)
  await until(async () => (await open.count('button[value=delete]')) === 0)
  await fetch(`${notes}/${id}`, { method: 'DELETE', headers: { cookie } })
})

t.test('only the visitor who has written a note can delete it', async (t) => {
  const cookie = await write('guarded')
  const id = (await readNotes(cookie)).notes.find(({ text }) => text === 'guarded')?.id
  const own = `${notes}/${id}`
  const stranger = cookie.replace(/[\da-f]{8}-/, '00000000-')
  const form = new URLSearchParams({ intent: 'delete' })
  for (const [who, headers] of Object.entries({ nobody: {}, stranger: { cookie: stranger } })) {
    t.equal((await fetch(own, { method: 'POST', body: form, headers })).status, 403, `${who}, by a form`)
    t.equal((await fetch(own, { method: 'DELETE', headers })).status, 403, `${who}, by a script`)
  }
  t.equal((await fetch(`${notes}/0`, { method: 'DELETE' })).status, 404)

  const inPlace = await chromium.open({}, t)
  await become(inPlace, cookie)
  await inPlace.goto(notes, 'load')
  await inPlace.hydrated()
  await become(inPlace, stranger)
  await inPlace.click(DELETE)
  await inPlace.hasText('li [role=alert]', 'Only the visitor who wrote a note can delete it.')
  await until(async () => (await inPlace.count(DELETE)) === 0)
  t.equal(await inPlace.read('li p'), 'guarded', 'the page stays')
  await inPlace.shown('[role=alert]')
  t.pass('and the reason too')

  const open = await chromium.open({ javaScript: false }, t)
  for (const [visitor, buttons] of [
    [stranger, 0],
    [cookie, 1],
  ] as const) {
    await become(open, visitor)
    for (const page of [notes, own]) {
      await open.goto(page, 'load')
      await open.hasText('p', 'guarded')
      t.equal(await open.page.getByRole('button', { name: /^Delete/ }).count(), buttons, `${buttons} on ${page}`)
    }
  }
  await Promise.all([open.page.waitForEvent('load'), open.page.getByRole('button', { name: /^Delete/ }).click()])
  await open.hasText('#list', 'No note yet')
  t.notOk(
    JSON.stringify(await readNotes(cookie)).includes(cookie.slice(-36)),
    'the id of a visitor stays on the server',
  )
})

for (const javaScript of [true, false]) {
  const how = javaScript ? 'with JavaScript, in place' : 'without JavaScript'

  t.test(`notes are searched ${how}`, async (t) => {
    const cookie = await write('Green tea')
    await write('Black coffee', cookie)
    const open = await chromium.open({ javaScript }, t)
    await become(open, cookie)
    await open.goto(notes, 'load')
    if (javaScript) await open.hydrated()
    const countDocuments = watchDocuments(open)

    await open.fill('#q', ' TEA')
    await open.press('#q', 'Enter')
    await open.hasText('[role=status]', '1 of 2 notes contain “TEA”.')
    t.equal(new URL(open.page.url()).search, '?q=+TEA')
    t.strictSame(await texts(open), ['Green tea'])
    if (javaScript) t.equal(await open.evaluate(() => document.activeElement?.id, null), 'list', 'where the result is')

    await open.click(DELETE)
    await open.hasText('[role=status]', '0 of 1 notes contain “TEA”.')
    t.equal((await open.valueOf('#q'))?.trim(), 'TEA', 'the search is kept after a deletion')

    await open.click('form > a')
    await open.hasText('li', 'Black coffee')
    t.equal(await open.valueOf('#q'), '')
    t.equal(new URL(open.page.url()).search, '')
    await open.page.goBack()
    await open.hasText('[role=status]', '0 of 1 notes')
    t.equal(await open.valueOf('#q'), 'TEA')
    if (javaScript) t.equal(countDocuments(), 0, 'no document was loaded')

    t.equal((await fetch(`${notes}?q=a&q=b`)).status, 400)
    const odd = await fetch(`${notes}?q=${encodeURIComponent('"><b>%_')}`)
    t.equal(odd.status, 200)
    t.notMatch(await odd.text(), '"><b>')
    const [{ id } = { id: 0 }] = (await readNotes(cookie)).notes
    await fetch(`${notes}/${id}`, { method: 'DELETE', headers: { cookie } })
  })
}

t.test('the newest hundred notes are kept, and those of a program are read like those of a form', async (t) => {
  const send = (type: string, body: string) =>
    fetch(notes, { method: 'POST', headers: { accept: 'application/json', 'content-type': type }, body })
  for (let number = 0; number <= 100; number++) {
    const { status } = await send('application/x-www-form-urlencoded', `text=note+${number}&colour=blue`)
    t.equal(status, 200)
  }
  const { notes: kept } = await readNotes()
  t.strictSame(
    kept.map(({ text }) => text),
    Array.from({ length: 100 }, (_, index) => `note ${100 - index}`),
  )
  const json = JSON.stringify({ text: ' a\ttab, \u0000 a zero,\r\n\n\n\n\ud800 half a pair ', colour: 'pink' })
  await send('application/json', json)
  t.match((await readNotes()).notes[0], { text: 'a tab,  a zero,\n\n half a pair', colour: 'red' })
  for (const body of ['null', '7', '"text"', '[]', '{"text":7}', '{"text":{"toString":1}}']) {
    t.equal((await send('application/json', body)).status, 422, body)
  }
  for (const id of ['0', '01', '1.0', '-1', '1e1', "1' or '1'='1", '9'.repeat(40), '%00']) {
    t.equal((await fetch(`${notes}/${encodeURIComponent(id)}`)).status, 404, id)
  }
  const cookie = await write('the last one')
  const own = `${notes}/${(await readNotes(cookie)).notes[0]?.id}`
  const says = await fetch(own, { method: 'POST', headers: { cookie } })
  t.equal(says.status, 400, 'a form that says nothing deletes nothing')
})

async function readNotes(cookie = '') {
  const answer = await fetch(notes, { headers: { accept: 'application/json', cookie } })
  // The cast is safe because the page's load returns this.
  return (await answer.json()) as { notes: { id: number; text: string; colour: string }[] }
}

/** Writes a note, and returns the cookie of the visitor who has written it. */
async function write(text: string, cookie = ''): Promise<string> {
  const body = new URLSearchParams({ text })
  const answer = await fetch(notes, { method: 'POST', body, headers: { cookie }, redirect: 'manual' })
  return cookie || (answer.headers.get('set-cookie')?.split(';')[0] ?? '')
}

/** Gives a browser the cookie of a visitor. */
function become({ page }: OpenPage, cookie: string): Promise<void> {
  const [name = '', value = ''] = cookie.split('=')
  return page.context().addCookies([{ name, value, url: notes }])
}

function texts({ evaluate }: OpenPage): Promise<string[]> {
  return evaluate(() => [...document.querySelectorAll<HTMLElement>('li p')].map((text) => text.innerText), null)
}

function watchDocuments({ page }: OpenPage): () => number {
  let count = 0
  page.on('request', (request) => {
    if (request.resourceType() === 'document') count++
  })
  return () => count
}

/** The focus moves in the frame after the page is shown: by the document's `autofocus`, or by an effect. */
function waitForFocus({ evaluate }: OpenPage, id: string): Promise<boolean> {
  return until(() => evaluate((id) => document.activeElement?.id === id, id))
}

function look({ evaluate }: OpenPage) {
  return evaluate(() => {
    const field = document.querySelector('textarea')
    return {
      text: field?.value,
      colour: document.querySelector<HTMLInputElement>('[name=colour]:checked')?.value,
      focus: document.activeElement?.id,
      invalid: field?.getAttribute('aria-invalid'),
      described: field?.getAttribute('aria-describedby'),
      bold: document.querySelectorAll('main b').length,
    }
  }, null)
}
