import { type BrowserFunctions, browser } from './browser.ts'

/** The sentence for fields that could not be sent, and were not received. */
export const NOT_SENT = 'This was not sent. Reload the page and try again.'

/** Loads the functions. Rejects on the server. `name` is the function that needs them. */
export async function loadBrowserFunctions(name: string): Promise<BrowserFunctions> {
  if (!browser.load) throw new Error(`${name}() may be called only in event handlers and effects, in the browser.`)
  const load = await browser.load
  browser.loaded = await load()
  return browser.loaded
}
