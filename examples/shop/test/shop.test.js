// Requests the pages, without a port. `npm test` builds the site first.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServer } from 'hydrant'

const app = await createServer({ dir: '.', ledger: false, logger: false })
after(() => app.close())

/** Requests pages and keeps cookies, as a browser without JavaScript does. */
function createVisitor() {
  const cookies = {}
  async function request(options) {
    const response = await app.inject({ ...options, cookies })
    for (const { name, value } of response.cookies) cookies[name] = value
    return response
  }
  return {
    open: (url) => request({ url, headers: { accept: 'text/html' } }),
    send(url, fields) {
      const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
      return request({ method: 'POST', url, headers, payload: String(new URLSearchParams(fields)) })
    },
    upload(url, payload) {
      return request({ method: 'POST', url, headers: { accept: 'text/html' }, payload })
    },
  }
}

const ONE_NOTEBOOK = { id: 'notebook', change: 'add', amount: '1' }
const ADDRESS = {
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  'address.street': 'Main Street 1',
  'address.postcode': '12345',
  'address.city': 'London',
  delivery: 'post',
}

test('the list is searched, filtered and ordered by the URL', async () => {
  const { open } = createVisitor()
  const all = await open('/')
  assert.match(all.body, /5 products/)

  const pens = await open('/?q=&kind=pens&sort=price')
  assert.match(pens.body, /2 products/)
  assert.ok(pens.body.indexOf('Pencil') < pens.body.indexOf('Fountain pen'))

  assert.match((await open('/?q=INK&kind=')).body, /1 product</)
  assert.equal((await open('/?kind=cars')).statusCode, 400)
})

test('a product has reviews', async () => {
  const { open } = createVisitor()
  const page = await open('/products/notebook')
  assert.match(page.body, /Reviews are loading…/)
  assert.match(page.body, /It lies flat on the table\./)

  assert.equal((await open('/products/none')).statusCode, 404)
})

test('the cart keeps what a visitor adds and changes', async () => {
  const { open, send } = createVisitor()
  await send('/cart', ONE_NOTEBOOK)
  const added = await send('/cart', ONE_NOTEBOOK)
  assert.equal(added.statusCode, 303)
  assert.equal(added.headers.location, '/cart')
  assert.match((await open('/cart')).body, /€24\.00/)

  await send('/cart', { id: 'notebook', change: 'set', amount: '0' })
  assert.match((await open('/cart')).body, /Your cart is empty\./)

  const unknown = await send('/cart', { ...ONE_NOTEBOOK, id: 'none' })
  assert.equal(unknown.statusCode, 422)
  assert.match(unknown.body, /no longer for sale/)
})

test('a checkout with mistakes keeps what was typed', async () => {
  const { open, send } = createVisitor()
  assert.equal((await open('/checkout')).headers.location, '/cart')
  await send('/cart', ONE_NOTEBOOK)

  const refused = await send('/checkout', { ...ADDRESS, 'address.postcode': '12' })
  assert.equal(refused.statusCode, 422)
  assert.match(refused.body, /Enter the five digits of the postcode\./)
  assert.match(refused.body, /value="Main Street 1"/)

  const ordered = await send('/checkout', ADDRESS)
  assert.equal(ordered.headers.location, '/thanks')
  assert.match((await open('/thanks')).body, /Thank you, (?:<!-- -->)?Ada Lovelace/)
  assert.match((await open('/cart')).body, /Your cart is empty\./)
})

test('only the staff adds products, with a photo', async () => {
  const { open, send, upload } = createVisitor()
  assert.equal((await open('/admin')).headers.location, '/sign-in?from=%2Fadmin')
  assert.equal((await upload('/admin', newProduct())).statusCode, 303)
  assert.equal((await send('/sign-in', { password: 'assam' })).statusCode, 422)
  assert.equal((await send('/sign-in?from=/admin', { password: 'oolong' })).headers.location, '/admin')

  const refused = await upload('/admin', newProduct({ type: 'text/html' }))
  assert.equal(refused.statusCode, 422)
  assert.match(refused.body, /Choose a JPEG, PNG or WebP file\./)

  assert.equal((await upload('/admin', newProduct())).headers.location, '/products/green-ink')
  const page = await open('/products/green-ink')
  assert.match(page.body, /€12\.50/)
  const [, address] = /<img src="([^"]+)"/.exec(page.body)
  const photo = await open(address)
  assert.equal(photo.headers['content-type'], 'image/png')
  assert.equal(photo.body, 'bytes of a photo')
})

function newProduct({ type = 'image/png' } = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ name: 'Green ink', kind: 'ink', price: '12.50', text: '' }))
    form.set(name, value)
  form.set('photo', new File(['bytes of a photo'], 'ink.png', { type }))
  return form
}
