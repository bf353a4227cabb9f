// Requests pages from the built site, without a port. `npm test` builds it first.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServer } from 'hydrant'

const app = await createServer({ dir: '.', ledger: false, logger: false })
after(() => app.close())

test('a book has a page', async () => {
  const response = await app.inject({ url: '/books/kim', headers: { accept: 'text/html' } })

  assert.equal(response.statusCode, 200)
  assert.match(response.body, /<h1[^>]*>Kim<\/h1>/)
})

test('a page is JSON for clients that ask for JSON', async () => {
  const response = await app.inject({ url: '/books/kim', headers: { accept: 'application/json' } })

  assert.equal(response.json().author, 'Rudyard Kipling')
})

test('a book that does not exist is a 404', async () => {
  const response = await app.inject({ url: '/books/none', headers: { accept: 'text/html' } })

  assert.equal(response.statusCode, 404)
})

test('an empty message is refused', async () => {
  const response = await app.inject({
    method: 'POST',
    url: '/guestbook',
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'text=',
  })

  assert.equal(response.statusCode, 422)
  assert.match(response.body, /Write a message first\./)
})
