import { loadBrowserFunctions } from './load-browser-functions.ts'

/**
 * Runs the loads of the current page and its layouts again, in place: the page keeps its state, its scroll position and
 * everything that has been typed. Resolves when the page shows the fresh data. Inside a transition, which React shows
 * only when its function has ended, it resolves when the data has arrived.
 *
 * The visitor is redirected if a load redirects, and sees the error page if a load refuses. Rejects when a load fails
 * and when the server cannot be reached; then the page stays as it is. Call it in event handlers and effects; on the
 * server it rejects.
 */
export async function refresh(): Promise<void> {
  const { refresh } = await loadBrowserFunctions('refresh')
  await refresh()
}
