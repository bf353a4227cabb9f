// Requests the API, the pages and the console, without a port. `npm test` builds the app first.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createApp } from '../dist/app.js'

process.env.HYDRANT_LEDGER = 'false'
const app = await createApp({ logger: false })
after(() => app.close())

/** Sends a form to a page, as a browser does. */
function send(url, fields, cookies = {}) {
  const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  return app.inject({ method: 'POST', url, headers, cookies, payload: String(new URLSearchParams(fields)) })
}

function open(url, cookies = {}) {
  return app.inject({ url, headers: { accept: 'text/html' }, cookies })
}

/** Returns the cookies of a user who has signed in. */
async function signIn(name, password, from = '/') {
  const response = await send(`/sign-in?from=${encodeURIComponent(from)}`, { name, password })
  assert.equal(response.statusCode, 303)
  assert.equal(response.headers.location, from)
  return Object.fromEntries(response.cookies.map(({ name, value }) => [name, value]))
}

test('the API accepts the token in its header, and no cookie', async () => {
  const created = await app.inject({ method: 'POST', url: '/api/tokens', payload: { name: 'Bob', password: 'assam' } })
  const { token } = created.json()

  const withToken = await app.inject({ url: '/api/tickets', headers: { authorization: `Bearer ${token}` } })
  assert.equal(withToken.statusCode, 200)
  assert.equal(withToken.json().length, 3)

  const cookies = await signIn('Bob', 'assam')
  assert.equal((await app.inject({ url: '/api/tickets', cookies })).statusCode, 401)
})

test('a visitor signs in and arrives at the page that was requested', async () => {
  const refused = await open('/tickets/2')
  assert.equal(refused.statusCode, 302)
  assert.equal(refused.headers.location, '/sign-in?from=%2Ftickets%2F2')

  const page = await open('/tickets/2', await signIn('Bob', 'assam', '/tickets/2'))
  assert.match(page.body, /<h1>No sound in video calls<\/h1>/)
})

test('a wrong password and a forged token are refused', async () => {
  const response = await send('/sign-in', { name: 'Bob', password: 'darjeeling' })
  assert.equal(response.statusCode, 422)
  assert.match(response.body, /This name or this password is wrong\./)
  assert.match(response.body, /value="Bob"/)

  assert.equal((await open('/', { 'desk-token': 'forged' })).statusCode, 302)
})

test('an agent answers and closes a ticket', async () => {
  const cookies = await signIn('Bob', 'assam')

  const empty = await send('/tickets/1', { text: ' ' }, cookies)
  assert.equal(empty.statusCode, 422)
  assert.match(empty.body, /Write an answer\./)

  const sent = await send('/tickets/1', { text: 'I have put in some paper.', close: 'yes' }, cookies)
  assert.equal(sent.statusCode, 303)
  const page = await open('/tickets/1', cookies)
  assert.match(page.body, /I have put in some paper\./)
  assert.equal(app.tickets.find(1).isOpen, false)

  assert.equal((await send('/tickets/9', { text: 'Hello' }, cookies)).statusCode, 404)
})

test('only operators see the console', async () => {
  const refused = await open('/ops')
  assert.equal(refused.statusCode, 302)
  assert.equal(refused.headers.location, '/sign-in?from=%2Fops')

  assert.equal((await open('/ops', await signIn('Bob', 'assam'))).statusCode, 403)
  const console = await open('/ops', await signIn('Ada', 'oolong'))
  assert.equal(console.statusCode, 200)
})
