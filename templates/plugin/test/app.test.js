// Requests the app's routes and pages, without a port. `npm test` builds the app first.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createVisitor } from 'hydrant/test'
import { createApp } from '../dist/app.js'

process.env.HYDRANT_LEDGER = 'false'
const app = await createApp({ logger: false })
after(() => app.close())
const visitor = createVisitor(app)

test('a task that was sent to the API is on the page', async () => {
  const created = await app.inject({ method: 'POST', url: '/api/tasks', payload: { text: 'Test' } })
  assert.equal(created.statusCode, 201)

  const { status, html } = await visitor.page('/')
  assert.equal(status, 200)
  assert.match(html, /<li>Test<\/li>/)
})

test('an empty task is refused', async () => {
  const { status, html } = await visitor.submit('/', { text: '' })

  assert.equal(status, 422)
  assert.match(html, /Write a task first\./)
})

test('a page that does not exist is a 404', async () => {
  const { status } = await visitor.page('/none')

  assert.equal(status, 404)
})
