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

for (const javaScriptEnabled of [true, false]) {
  test(`an operator works on a ticket ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    await page.goto(`${origin}/tickets/2`)

    await page.fill('#name', 'Ada')
    await page.fill('#password', 'oolong')
    await page.click('button')
    await page.waitForSelector('text=It worked yesterday.')

    const answer = `Is it muted? (${javaScriptEnabled})`
    await page.fill('#text', answer)
    await page.click('text=Answer and close')
    await page.waitForSelector(`p:has-text("${answer}")`)
    assert.equal(await page.inputValue('#text'), '')
    assert.equal(app.tickets.find(2).isOpen, false)

    await page.click('text=Console')
    await page.waitForURL(`${origin}/ops`)
    assert.equal((await context.request.get(`${origin}/ops/api/failures`)).status(), 200)
    await context.close()
  })
}
