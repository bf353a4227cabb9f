// Uses the built site in a real browser. test/open-browser.js says which one, and how to install it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServer } from 'hydrant'
import { openBrowser } from './open-browser.js'

const browser = await openBrowser()
const app = await createServer({ dir: '.', ledger: false, logger: false })
const origin = await app.listen({ host: '127.0.0.1', port: 0 })
after(async () => {
  await browser.close()
  await app.close()
})

async function openPage(path, options) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(origin + path)
  return page
}

const countOf = (page, count) => page.waitForSelector(`[data-testid=count]:text-is("${count}")`)

async function order(page) {
  await page.goto(`${origin}/cart`)
  await page.click('text=Check out')
  await page.fill('[name=name]', 'Ada Lovelace')
  await page.fill('[name=email]', 'ada@example.org')
  await page.fill('[name="address.street"]', 'Main Street 1')
  await page.fill('[name="address.postcode"]', '12345')
  await page.fill('[name="address.city"]', 'London')
  await page.click('text=Order for')
  await page.waitForSelector('h1:text-is("Thank you, Ada Lovelace")')
  await countOf(page, 0)
}

test('the count in the header is ahead of the server, and no click is lost', async () => {
  const page = await openPage('/products/notebook')
  await page.waitForSelector('[data-hydrated]')
  let release
  const held = new Promise((resolve) => {
    release = resolve
  })
  let sent = 0
  await page.route(
    (url) => url.pathname === '/cart',
    async (route) => {
      if (route.request().method() === 'POST') {
        sent++
        await held
      }
      await route.continue()
    },
  )

  const add = page.getByRole('button', { name: 'Add to cart' })
  await add.click()
  await countOf(page, 1)
  await add.click()
  await countOf(page, 2)
  // The second change waits for the cookie of the first.
  assert.ok(sent < 2)
  release()
  await page.unrouteAll({ behavior: 'wait' })

  assert.equal(new URL(page.url()).pathname, '/products/notebook')
  await page.click('text=Cart:')
  await page.waitForSelector('text=€24.00')
  await countOf(page, 2)
  await order(page)
})

test('a visitor orders without JavaScript', async () => {
  const page = await openPage('/?q=pen&sort=price', { javaScriptEnabled: false })
  await page.click('text=Pencil')
  await page.getByRole('button', { name: 'Add to cart' }).click()
  await countOf(page, 1)
  await order(page)
})
