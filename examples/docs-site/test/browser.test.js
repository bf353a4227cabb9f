// Uses the site in a real browser.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTestSite } from 'hydrant/test'
import { chromium } from 'playwright-core'

const site = await createTestSite()
const origin = await site.app.listen({ port: 0, host: '127.0.0.1' })
// The path of an installed Chromium. Leave it out after "npx playwright-core install chromium".
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] })
after(async () => {
  await browser.close()
  await site.close()
})

async function openPage(path, options) {
  const page = await browser.newPage(options)
  page.setDefaultTimeout(60_000)
  await page.goto(origin + path)
  return page
}

/** Presses Tab until an element has the focus. */
async function tabTo(page, element) {
  for (let presses = 0; presses < 30; presses++) {
    if (await element.evaluate((node) => node === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  assert.fail('the element cannot be reached with Tab')
}

test('the keyboard reaches the content, the tabs and the code', async () => {
  const page = await openPage('/docs/install')
  await page.waitForSelector('.tabs[data-hydrated]')

  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.activeElement?.id === 'content')

  const npm = page.getByRole('tab', { name: 'npm' })
  await tabTo(page, npm)
  await page.keyboard.press('ArrowRight')
  await page.getByRole('tabpanel', { name: 'Homebrew' }).waitFor()
  assert.equal(await page.getByText('npm install').isVisible(), false)

  await page.keyboard.press('Tab')
  const focused = await page.evaluate(() => document.activeElement?.textContent)
  assert.match(focused, /brew install kettle/)
})

test('results appear while the visitor types, and Escape closes them', async () => {
  const page = await openPage('/docs/install')
  const box = page.getByRole('searchbox')
  const link = page.getByRole('link', { name: 'Commands › kettle boil' })

  await box.pressSequentially('temper')
  await link.waitFor()
  await page.keyboard.press('Escape')
  await link.waitFor({ state: 'detached' })
  await box.fill('temper')
  await link.click()

  await page.waitForURL('**/docs/commands#kettle-boil')
  await page.getByRole('heading', { name: 'Commands', exact: true }).waitFor()
  assert.equal(await box.inputValue(), '')
})

test('everything works without JavaScript', async () => {
  const page = await openPage('/docs/install', { javaScriptEnabled: false })
  assert.ok(await page.getByText('npm install').isVisible())
  assert.ok(await page.getByText('brew install').isVisible())
  assert.equal(await page.getByRole('tab').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 0)

  await page.getByRole('button', { name: 'Dark' }).click()
  await page.waitForSelector('html[data-theme=dark]')
  assert.equal(new URL(page.url()).pathname, '/docs/install')

  await page.getByRole('searchbox').fill('weekdays')
  await page.getByRole('searchbox').press('Enter')
  await page.getByRole('link', { name: 'Schedules › Write a schedule' }).click()
  await page.getByRole('heading', { name: 'Schedules' }).waitFor()
})
