// Requests the app's routes and pages, without a port. `npm test` builds the app first.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createApp } from '../dist/app.js'

process.env.HYDRANT_LEDGER = 'false'
const app = await createApp({ logger: false })
after(() => app.close())

test('a task that was sent to the API is on the page', async () => {
  const created = await app.inject({ method: 'POST', url: '/api/tasks', payload: { text: 'Test' } })
  assert.equal(created.statusCode, 201)

  const page = await app.inject({ url: '/', headers: { accept: 'text/html' } })
  assert.equal(page.statusCode, 200)
  assert.match(page.body, /<li>Test<\/li>/)
})

test('an empty task is refused', async () => {
  const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }

  const response = await app.inject({ method: 'POST', url: '/', headers, payload: 'text=' })

  assert.equal(response.statusCode, 422)
  assert.match(response.body, /Write a task first\./)
})

test('a page that does not exist is a 404', async () => {
  const response = await app.inject({ url: '/none', headers: { accept: 'text/html' } })

  assert.equal(response.statusCode, 404)
})
