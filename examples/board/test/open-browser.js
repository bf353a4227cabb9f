import { chromium } from 'playwright-core'

const HOW_TO_INSTALL = `No browser for the tests. Do one of these:
- Run "npx playwright-core install chromium", on a server "npx playwright-core install --with-deps chromium".
- Install Google Chrome, Microsoft Edge, or Debian's package "chromium".
- Set CHROMIUM to the path of an installed Chromium: CHROMIUM=/usr/bin/chromium npm test`

/** Starts the browser that CHROMIUM names, otherwise Playwright's own Chromium, Chrome, Edge or Debian's Chromium. */
export async function openBrowser() {
  const { CHROMIUM } = process.env
  const choices = CHROMIUM
    ? [{ executablePath: CHROMIUM }]
    : [{}, { channel: 'chrome' }, { channel: 'msedge' }, { executablePath: '/usr/bin/chromium' }]
  const errors = []
  for (const choice of choices) {
    try {
      return await chromium.launch(choice)
    } catch (error) {
      errors.push(error)
    }
  }
  throw new AggregateError(errors, HOW_TO_INSTALL)
}
