// Uses the site in a real browser. test/open-browser.js says which one, and how to install it.

import { after, test } from 'node:test'
import { createTestSite } from 'hydrant/test'
import { openBrowser } from './open-browser.js'

const browser = await openBrowser()
const site = await createTestSite()
const origin = await site.app.listen({ host: '127.0.0.1', port: 0 })
after(async () => {
  await browser.close()
  await site.close()
})

test('a visitor clicks the counter', async () => {
  const page = await browser.newPage()
  await page.goto(origin)

  await page.click('button')

  await page.waitForSelector('text=Count: 1')
})

test('a visitor signs the guestbook', async () => {
  const page = await browser.newPage()
  await page.goto(origin)

  await page.click('text=Guestbook')
  await page.fill('[name=text]', 'From a browser')
  await page.click('button')

  await page.waitForSelector('li:has-text("From a browser")')
})
