import { browser } from './browser.ts'

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
