// Two people use the built board at the same time. test/open-browser.js says which browser, and how to install it.

import assert from 'node:assert/strict'
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

async function openBoard(options) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.goto(origin)
  return page
}

async function add(page, text) {
  await page.getByLabel('New card').fill(text)
  await page.getByRole('button', { name: 'Add' }).click()
}

const cardOf = (page, text) => page.getByRole('listitem').filter({ hasText: text })

test('what one person does, the other one sees at once, and keeps what is being typed', async () => {
  const [ada, bob] = [await openBoard(), await openBoard()]
  await bob.getByLabel('New card').pressSequentially('Half a sent')
  await add(ada, 'Water the plants')
  await cardOf(bob, 'Water the plants').waitFor()
  assert.equal(await bob.getByLabel('New card').inputValue(), 'Half a sent')
  await bob.keyboard.type('ence')
  assert.equal(await bob.getByLabel('New card').inputValue(), 'Half a sentence', 'the caret has not moved')

  await cardOf(bob, 'Water the plants').getByRole('button', { name: 'Doing' }).click()
  await ada.getByRole('region', { name: 'Doing' }).getByText('Water the plants').waitFor()
})

test('a person without JavaScript takes part', async () => {
  const [ada, bob] = [await openBoard({ javaScriptEnabled: false }), await openBoard()]
  await add(ada, 'Sharpen the pencils')
  await cardOf(bob, 'Sharpen the pencils').waitFor()
})

test('who edits a card hears that somebody else has saved it', async () => {
  const ada = await openBoard()
  await add(ada, 'Draft')
  await cardOf(ada, 'Draft').getByRole('link').click()
  await ada.getByRole('heading', { name: 'Edit a card' }).waitFor()
  const address = ada.url()
  const bob = await openBoard()
  await bob.goto(address)
  await bob.getByLabel('Text').fill('Text of Bob')
  await ada.getByLabel('Text').fill('Text of Ada')
  await ada.getByRole('button', { name: 'Save' }).click()

  await bob.getByText('Meanwhile, somebody has written: Text of Ada').waitFor()
  assert.equal(await bob.getByLabel('Text').inputValue(), 'Text of Bob')
  await bob.getByRole('button', { name: 'Use this text' }).click()
  assert.equal(await bob.getByLabel('Text').inputValue(), 'Text of Ada')
})
