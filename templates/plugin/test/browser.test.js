// Uses the built app in a real browser. test/open-browser.js says which one, and how to install it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createApp } from '../dist/app.js'
import { openBrowser } from './open-browser.js'

process.env.HYDRANT_LEDGER = 'false'
const browser = await openBrowser()
const app = await createApp({ logger: false })
const origin = await app.listen({ host: '127.0.0.1', port: 0 })
after(async () => {
  await browser.close()
  await app.close()
})

test('a visitor clicks the counter', async () => {
  const page = await browser.newPage()
  await page.goto(origin)

  await page.click('text=Count')

  await page.waitForSelector('text=Count: 1')
})

test('a visitor adds a task', async () => {
  const page = await browser.newPage()
  await page.goto(origin)

  await page.fill('[name=text]', 'From a browser')
  await page.click('text=Add')

  await page.waitForSelector('li:has-text("From a browser")')
  assert.equal(app.tasks.list().at(-1).text, 'From a browser')
})
