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

/**
 * Fetches the modules and the data of a page in advance: `prefetch(href('/checkout'))`. A navigation to the page
 * within ten seconds uses them. Resolves when they have been fetched. Call it in event handlers and effects.
 *
 * It has no effect for other sites, files and the current page, in browsers without the Navigation API, and on the
 * server. It then resolves, as it does if the request fails. It never rejects.
 *
 * @param url The URL of the page, relative to the current page.
 */
export async function prefetch(url: string | URL): Promise<void> {
  const functions = await browser.load?.then((load) => load()).catch(() => undefined)
  await functions?.prefetch(url)
}

/**
 * Runs the loads of the current page and its layouts again, in place: the page keeps its state, its scroll position
 * and everything that has been typed. Resolves when the page shows the fresh data. Inside the function of a
 * transition, it resolves when the data has arrived, because React shows a transition only after its function has
 * ended.
 *
 * The visitor is redirected if a load redirects, and sees the error page if a load refuses. Rejects with an Error if
 * a load fails or the server cannot be reached. The page then stays as it is. Call it in event handlers and effects.
 * On the server, it rejects.
 */
export async function refresh(): Promise<void> {
  const { refresh } = await loadBrowserFunctions('refresh')
  await refresh()
}
