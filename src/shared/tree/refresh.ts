import { loadBrowserFunctions } from './load-browser-functions.ts'

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
