import t from 'tap'
import { buildApp } from '../../build-app.ts'
import { HTML, JSON_ONLY, serve } from '../served.ts'

const dir = await buildApp(t, 'schemas')
const { app, get, log, failuresOf } = await serve(t, dir, {
  timeouts: { loadMs: 300 },
  forms: { maxFiles: 2, maxFileBytes: 1_000 },
})
await app.listen({ port: 0, host: '127.0.0.1' })

type Fields = Record<string, string | string[] | File>

function bodyOf(fields: Fields, Kind: typeof FormData | typeof URLSearchParams) {
  const body = new Kind()
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) (body as FormData).append(name, one as string)
  return body
}

async function post(path: string, fields: Fields, headers: Record<string, string> = HTML, Kind = FormData) {
  const response = await fetch(app.listeningOrigin + path, { method: 'POST', body: bodyOf(fields, Kind), headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const good = { name: 'Ada', email: 'ada@example.org', password: 'longenough', age: '36', size: 'L', topics: 'news' }
const textIn = (html: string, id: string) =>
  new RegExp(`id="${id}"[^>]*>([^<]*)`).exec(html)?.[1]?.replaceAll('&quot;', '"')

/** Returns the attributes of an element by its id. */
function attributesOf(html: string, id: string): Record<string, string> {
  const tag = [...html.matchAll(/<[a-z]+ [^>]*>/g)]
    .map(([found]) => found)
    .find((found) => found.includes(` id="${id}"`))
  const entries = [...(tag ?? '').matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value])
  return Object.fromEntries(entries.filter(([name]) => name !== 'id'))
}

t.test('the action receives the output of the schema', async (t) => {
  const photo = new File(['x'], 'ada.png')
  const expected = { ...good, age: 36, topics: ['news'] }
  const urlencoded = await post('/signup', good, JSON_ONLY, URLSearchParams as never)
  t.match(JSON.parse(urlencoded.text), { input: expected, isForm: true })
  const multipart = await post('/signup', { ...good, photo }, JSON_ONLY)
  t.match(JSON.parse(multipart.text), { input: { ...expected, photo: 'ada.png' } })
  const json = await app.inject({ method: 'POST', url: '/signup', payload: { ...good, age: 36, topics: [] } })
  t.match(textIn(json.body, 'done'), /"topics":\[\]/)
  t.equal(json.statusCode, 200)
})

t.test('a form that does not match shows the page again, and the action does not run', async (t) => {
  const before = (await get('/signup', JSON_ONLY)).json()
  const { status, headers, text } = await post('/signup', {
    ...good,
    name: '<b>',
    email: 'ada',
    password: 'hunter2',
    age: '',
    'items[0].name': '',
    size: 'L',
    topics: 'news',
  })
  t.equal(status, 422)
  t.equal(headers.get('cache-control'), 'no-store')
  t.strictSame((await get('/signup', JSON_ONLY)).json(), before, 'the action has not run')
  t.strictSame(attributesOf(text, 'name'), { name: 'name', required: '', minLength: '2', value: '&lt;b&gt;' })
  t.strictSame(attributesOf(text, 'email'), {
    name: 'email',
    type: 'email',
    required: '',
    value: 'ada',
    autofocus: '',
    'aria-invalid': 'true',
    'aria-describedby': 'email-error',
  })
  t.equal(textIn(text, 'email-error'), 'Not an address')
  t.notMatch(text, 'hunter2', 'no secret')
  t.match(attributesOf(text, 'age'), { 'aria-describedby': 'age-error' })
  t.equal(textIn(text, 'age-error'), 'Not a number')
  t.equal(text.match(/autofocus=""/g)?.length, 1, 'one field has the focus')
  t.match(text, '<option selected="">L</option>')
  t.hasProp(attributesOf(text, 'news'), 'checked')
  t.notHas(attributesOf(text, 'events'), { checked: '' }, 'the visitor has removed the tick')
  t.match(attributesOf(text, 'first'), { name: 'items[0].name', 'aria-describedby': 'items[0].name-error' })
  t.equal(textIn(text, 'items\\[0\\].name-error'), 'Needs a name')
})

t.test('a page that was not sent has the rules of its fields, and its own values', async (t) => {
  const { body } = await get('/signup')
  const email = { name: 'email', type: 'email', required: '', value: 'initial@example.org' }
  t.strictSame(attributesOf(body, 'email'), email)
  t.strictSame(attributesOf(body, 'age'), { name: 'age', type: 'number', required: '', min: '18' })
  t.hasProp(attributesOf(body, 'events'), 'checked')
  t.strictSame(attributesOf(body, 'file'), { name: 'photo', type: 'file' })
  t.notMatch(body, 'aria-invalid')
  t.notMatch(body, 'errorId')
})

t.test('JSON clients and JSON bodies receive a problem', async (t) => {
  const errors = [{ path: 'email', message: 'Not an address' }]
  const wrong = { ...good, email: 'ada', age: 36, topics: [] }
  for (const headers of [JSON_ONLY, HTML, { accept: '*/*' }]) {
    const response = await app.inject({ method: 'POST', url: '/signup', payload: wrong, headers })
    t.equal(response.statusCode, 422)
    t.equal(response.headers['content-type'], 'application/problem+json; charset=utf-8')
    t.strictSame(response.json(), {
      type: 'about:blank',
      title: 'Unprocessable Entity',
      status: 422,
      instance: '/signup',
      detail: 'Some fields are not valid.',
      errors,
    })
  }
  const form = await post('/signup', { ...good, email: 'ada' }, JSON_ONLY)
  t.match(JSON.parse(form.text), { status: 422, errors })
  const nested = await app.inject({ method: 'POST', url: '/signup', payload: { ...good, age: 3, items: [{}] } })
  t.match(nested.json().errors, [{ path: 'age' }, { path: 'topics' }, { path: 'items[0].name' }])
  const empty = await app.inject({ method: 'POST', url: '/signup', headers: JSON_ONLY })
  t.equal(empty.statusCode, 422, 'no body is an empty form')
})

t.test('an action refuses a form with invalidForm()', async (t) => {
  const { status, text } = await post('/signup', { ...good, name: 'taken' })
  t.equal(status, 422)
  t.match(attributesOf(text, 'name'), { 'aria-invalid': 'true', value: 'taken' })
  t.equal(textIn(text, 'name-error'), 'Is taken')
  t.equal(textIn(text, 'whole'), 'Try')
  const json = await post('/signup', { ...good, name: 'taken' }, JSON_ONLY)
  t.strictSame(JSON.parse(json.text).errors, [
    { path: 'name', message: 'Is taken' },
    { path: '', message: 'Try' },
    { path: '', message: 'again' },
  ])
  const plain = await post('/plain', { a: 'x', token: 'y' })
  t.equal(plain.status, 422)
  t.match(plain.text.replaceAll('&quot;', '"'), '{"invalid":{"issues":{"a":["Not this"]},"values":{"a":"x"}}}')
})

t.test('invalidForm() outside of an action is a failure at its line', async (t) => {
  const response = await get('/plain?misuse')
  t.equal(response.statusCode, 500)
  const [failure] = failuresOf(response)
  t.match(failure?.err, { message: 'invalidForm() was called outside of an action', stack: /plain\.server\.ts:4/ })
})

t.test('valibot and arktype', async (t) => {
  t.match((await post('/valibot', { email: 'a@b.example', 'topics[]': 'x' }, JSON_ONLY)).text, '"topics":["x"]')
  t.match((await post('/valibot', { email: 'a', 'topics[]': 'x' })).text, /Not an address/)
  t.match(
    (await post('/arktype', { email: 'a@b.example', age: '7', password: 'longenough' }, JSON_ONLY)).text,
    '"age":7',
  )
  const wrong = await post('/arktype', { email: 'a', age: 'x', password: 'hunter2' })
  t.equal(wrong.status, 422)
  t.match(wrong.text, /must be an email address/)
  t.notMatch(wrong.text, 'hunter2', 'a message that repeats a secret')
})

t.test('an empty text that a schema refuses is missing if the field is not required', async (t) => {
  const empty = { born: '', news: '', nickname: '', note: '', 'trip.from': '' }
  const accepted = { nickname: '', note: '', trip: {} }
  const sent = await post('/optional', { name: 'Ada', ...empty }, JSON_ONLY)
  t.strictSame(JSON.parse(sent.text), { name: 'Ada', ...accepted })
  t.strictSame((await get(`/optional?${new URLSearchParams(empty)}`, JSON_ONLY)).json(), accepted)
  const errorsOf = async (fields: Fields) => JSON.parse((await post('/optional', fields, JSON_ONLY)).text).errors
  t.strictSame(await errorsOf({ name: 'A', ...empty }), [{ path: 'name', message: 'Too short' }])
  t.strictSame(await errorsOf({ name: 'Ada', 'trip.from': 'x' }), [{ path: 'trip.from', message: 'No date' }])
  const needed = await errorsOf({ name: 'traveler', 'trip.from': '' })
  t.strictSame(needed, [{ path: 'trip.from', message: 'No date' }], 'a rule about several fields needs it')
  const missing = await errorsOf({ name: 'nameless', nickname: '' })
  t.strictSame(missing, [{ path: 'nickname', message: 'Missing' }], 'a text that no schema transforms stays')
})

t.test('a schema that throws is a failure with its digest and its line', async (t) => {
  for (const kind of ['throws', 'rejects']) {
    const response = await app.inject({ method: 'POST', url: '/strange', payload: { kind }, headers: JSON_ONLY })
    t.equal(response.statusCode, 500)
    t.notMatch(response.body, 'SECRET-MARKER')
    const [failure] = failuresOf(response)
    t.equal(failure?.digest, response.json().digest)
    t.match(JSON.stringify(failure?.err), /strange\.server\.ts/)
  }
  const response = await app.inject({ method: 'POST', url: '/strange', payload: { kind: 'hangs' }, headers: JSON_ONLY })
  t.equal(response.statusCode, 504)
  t.match(failuresOf(response)[0]?.err, {
    message: /the schema "form" of pages\/strange\.server\.ts did not finish within 300 ms/,
  })
})

t.test('search', async (t) => {
  const texts = async (url: string) => textIn((await get(url)).body, 'search')
  t.equal(await texts('/products'), '[{"page":1,"tags":[]},1]', 'a schema with defaults passes')
  t.equal(await texts('/products?page=2&tags=a&price.max=5&other=1'), '[{"page":2,"tags":["a"],"price":{"max":5}},2]')
  t.equal(await texts('/products?page='), '[{"page":1,"tags":[]},1]')
  t.match(await texts('/products?since=2026-01-02'), /"since":"2026-01-02T/)
  t.equal((await get('/products?page=3', JSON_ONLY)).body, '3')
  const acted = await app.inject({ method: 'POST', url: '/products?page=4', headers: JSON_ONLY })
  t.equal(acted.body, '4')
  const head = await app.inject({ method: 'HEAD', url: '/products?page=0' })
  t.equal(head.statusCode, 400)
  const wrong = await get('/products?page=0')
  t.equal(wrong.statusCode, 400)
  t.match(textIn(wrong.body, 'failed'), /^400\|The query of this address is not valid\. page: /)
  const json = await get('/products?page=0&price.max=x', JSON_ONLY)
  t.match(json.json(), { status: 400, errors: [{ path: 'page' }, { path: 'price.max' }] })
  t.equal((await get(`/products?${'a&'.repeat(1_001)}`)).statusCode, 400)
  t.equal((await app.inject({ method: 'POST', url: '/products?page=0', headers: JSON_ONLY })).statusCode, 400)
})

t.test('params', async (t) => {
  t.equal(textIn((await get('/products/7')).body, 'id'), 'number')
  t.strictSame((await get('/products/7', JSON_ONLY)).json(), { id: 7 })
  t.match(textIn((await get('/products/7')).body, 'layout'), '"params":{"id":"7"},"hasSearch":false')
  for (const url of ['/products/x', '/products/1.5', '/products/__proto__']) {
    t.equal((await get(url)).statusCode, 404, url)
    t.equal((await get(url, JSON_ONLY)).json().title, 'Not Found')
    t.equal((await app.inject({ method: 'POST', url })).statusCode, 404)
  }
})

t.test('the address is checked after the guards of the layouts and before the guard of the page', async (t) => {
  const ada = { ...JSON_ONLY, 'x-user': 'ada' }
  const context = { outer: [{ id: '7' }, undefined], own: [{ id: 7 }, { page: 2 }] }
  const loaded = await get('/guarded/7?page=2', ada)
  t.strictSame(loaded.json(), JSON.parse(JSON.stringify(context)))
  const acted = await app.inject({ method: 'POST', url: '/guarded/7?page=2', headers: ada })
  t.match(acted.json(), { params: { id: 7 }, search: { page: 2 }, context: { own: context.own } })
  for (const url of ['/guarded/x', '/guarded/7?page=x', '/guarded/7?page=2']) {
    t.equal((await get(url, JSON_ONLY)).statusCode, 401, 'a visitor learns nothing of the schema')
    t.equal((await app.inject({ method: 'POST', url, headers: JSON_ONLY })).statusCode, 401)
  }
  for (const [url, status] of [
    ['/guarded/x?page=x', 404],
    ['/guarded/7?page=x', 400],
  ] as const) {
    t.equal((await get(url, ada)).statusCode, status)
    const html = await get(url, { ...HTML, 'x-user': 'ada' })
    t.equal(html.statusCode, status)
    t.match(html.body, 'id="layout"', 'inside the layouts')
    // A body that no parser can read is not read.
    const headers = { ...ada, 'content-type': 'application/json' }
    t.equal((await app.inject({ method: 'POST', url, headers, payload: '{' })).statusCode, status)
  }
})

t.test('an output that cannot be sent to the browser is a failure', async (t) => {
  const response = await get('/unsendable')
  t.equal(response.statusCode, 500)
  t.match(failuresOf(response)[0]?.err, { message: /^search of pages\/unsendable/ })
})

t.test('a file that is too large does not lose what was typed', async (t) => {
  const large = new File(['x'.repeat(5_000)], 'large.png')
  const before = (await get('/signup', JSON_ONLY)).json()
  const form = bodyOf({ photo: large, ...good }, FormData)
  const response = await fetch(`${app.listeningOrigin}/signup`, { method: 'POST', body: form, headers: HTML })
  const html = await response.text()
  t.equal(response.status, 413)
  t.match(attributesOf(html, 'email'), { value: 'ada@example.org' }, 'a field behind the file')
  t.equal(textIn(html, 'whole'), 'A file of the form is larger than 1000 bytes.')
  t.strictSame((await get('/signup', JSON_ONLY)).json(), before, 'the action has not run')
  const many = bodyOf(good, FormData) as FormData
  for (let count = 0; count < 3; count++) many.append('photo', new File(['x'], 'x.png'))
  const tooMany = await fetch(`${app.listeningOrigin}/signup`, { method: 'POST', body: many, headers: HTML })
  t.equal(tooMany.status, 413)
  t.match(await tooMany.text(), /more than 2 files/)
  const full = await serve(t, dir, { forms: { maxUploadBytes: 1_000 } })
  await full.app.listen({ port: 0, host: '127.0.0.1' })
  const busy = await fetch(`${full.app.listeningOrigin}/signup`, {
    method: 'POST',
    body: bodyOf({ photo: new File(['x'.repeat(500_000)], 'x.png'), ...good }, FormData),
    headers: HTML,
  })
  t.equal(busy.status, 429)
  t.match(attributesOf(await busy.text(), 'email'), { value: 'ada@example.org' })
  const json = await post('/signup', { photo: large, ...good }, JSON_ONLY)
  t.equal(json.status, 413)
  t.match(JSON.parse(json.text), { status: 413, detail: /larger than 1000 bytes/ })
  const plain = await post('/plain', { photo: large })
  t.equal(plain.status, 413)
  t.match(textIn(plain.text, 'failed'), /^413\|/)
})

t.test('a body that is larger than all files may be is refused', async (t) => {
  const form = bodyOf({ ...good, photo: new File(['x'.repeat(2_000_000)], 'huge.png') }, FormData)
  const response = await fetch(`${app.listeningOrigin}/signup`, { method: 'POST', body: form, headers: HTML }).catch(
    () => null,
  )
  if (response) {
    t.equal(response.status, 413)
    t.match(await response.text(), /id="failed"/)
  } else t.pass('the connection was closed')
})

t.test('names of fields cannot pollute', async (t) => {
  for (const name of ['__proto__.x', 'constructor.prototype.x', '__proto__[x]', 'items[0].__proto__.x'])
    await post('/signup', { ...good, [name]: 'polluted' })
  t.equal(({} as { x?: unknown }).x, undefined)
  const { status } = await post('/signup', { ...good, [`a${'.b'.repeat(30)}`]: 'x' })
  t.equal(status, 400)
  t.equal((await post('/signup', { ...good, 'name.first': 'x' })).status, 400)
})

t.test('nothing that was typed is logged', async () => {
  const text = JSON.stringify(log.lines)
  for (const word of ['hunter2', 'longenough', 'SECRET-MARKER-2']) t.notMatch(text, word)
})
