import { type BrowserFunctions, browser } from './browser.ts'

/** The sentence for fields that could not be sent, and were not received. */
export const NOT_SENT = 'This was not sent. Reload the page and try again.'

/** The advice in a test that renders a component without a server. */
const HINT =
  typeof HYDRANT_BROWSER === 'undefined' && 'document' in globalThis
    ? ' A test of a component calls answerSubmissions() of hydrant/test first.'
    : ''

/** Loads the functions. Rejects on the server. `name` is the function that needs them. */
export async function loadBrowserFunctions(name: string): Promise<BrowserFunctions> {
  if (!browser.load)
    throw new Error(`${name}() may be called only in event handlers and effects, in the browser.${HINT}`)
  const load = await browser.load
  browser.loaded = await load()
  return browser.loaded
}
