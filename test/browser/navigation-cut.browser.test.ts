/// <reference lib="dom" />

// Connections that end in the middle of a response.

import t from 'tap'
import { clientSentence } from '../../src/shared/wire/public-error.ts'
import { serveSmallSite } from './navigation-site.ts'

const small = await serveSmallSite(t)
const { gates, served, origin } = small

t.test('a connection that is cut while a page waits for data shows the client-side sentence', async (t) => {
  const visitor = await small.visit(t)
  await visitor.start('/')
  await visitor.click('/later')
  await visitor.stands('Later')
  await visitor.shown('#wait')
  served.app.server.closeAllConnections()
  await visitor.shown('[role=alert]')
  t.match(await visitor.read('[role=alert]'), clientSentence('127.0.0.1'))
  t.strictSame(visitor.documents, [])
})

t.test('a connection that is cut before the page has arrived causes an ordinary page load', async (t) => {
  const visitor = await small.visit(t)
  await visitor.start('/')
  // Until the headers have arrived, Chromium sends the request again by itself.
  const answered = visitor.page.waitForResponse((response) => new URL(response.url()).pathname === '/slow')
  await visitor.click('/slow')
  await answered
  await gates.gate('slow').reached
  await visitor.hasText('#state', 'loading /slow')
  const loading = visitor.page.waitForRequest((request) => request.resourceType() === 'document')
  served.app.server.closeAllConnections()
  await loading
  gates.gate('slow').open()
  await visitor.stands('Slow')
  t.equal(visitor.page.url(), `${origin}/slow`)
  t.strictSame(visitor.documents, ['/slow'])
})

t.test('leaving a page aborts its pending requests', async (t) => {
  const visitor = await small.visit(t)
  await visitor.start('/')
  await visitor.click('/later')
  await visitor.shown('#wait')
  await visitor.click('/about')
  await visitor.stands('About')
  t.match(await gates.gate('later').left, { name: 'AbortError' })
  t.equal(await visitor.count('[role=alert]'), 0)
  t.strictSame(visitor.documents, [])
})

t.test('a link leads to its page when another script has replaced functions that a navigation needs', async (t) => {
  const visitor = await small.visit(t)
  await visitor.start('/')
  await visitor.evaluate(() => {
    Object.assign(globalThis, {
      AbortController: class {
        constructor() {
          throw new Error('replaced before')
        }
      },
    })
  }, null)
  await visitor.click('/about')
  await visitor.stands('About')
  t.strictSame(visitor.documents, ['/about'])
  await visitor.start('/')
  await visitor.evaluate(() => {
    Document.prototype.querySelectorAll = () => {
      throw new Error('replaced after')
    }
  }, null)
  await visitor.click('/about')
  await visitor.stands('About')
  t.strictSame(visitor.documents, ['/about'])
  t.equal(visitor.page.url(), `${origin}/about`)
})
