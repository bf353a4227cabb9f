// Requests pages without a port. `createTestSite` builds the site when its files have changed.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTestSite } from 'hydrant/test'

const site = await createTestSite()
after(() => site.close())

test('a book has a page', async () => {
  const { status, html, data } = await site.page('/books/kim')

  assert.equal(status, 200)
  assert.match(html, /<h1[^>]*>Kim<\/h1>/)
  assert.equal(data.author, 'Rudyard Kipling')
})

test('a book that does not exist is a 404', async () => {
  const { status } = await site.page('/books/none')

  assert.equal(status, 404)
})

test('an empty message is refused', async () => {
  const { status, html } = await site.submit('/guestbook', { text: '' })

  assert.equal(status, 422)
  assert.match(html, /Write a message first\./)
})
