import type { SubmitBody } from './navigation-state.ts'

/** The functions of the browser's side that are loaded when they are needed. */
export interface BrowserFunctions {
  /** Sends fields to a page's action. Resolves when the page shows the result. */
  send(to: string | URL, method: string, body: SubmitBody): Promise<void>
  /** Fetches a page in advance. Resolves when it is there, or when it cannot be fetched in advance. */
  prefetch(url: string | URL): Promise<void>
}

/** Set in the browser when the page is interactive. */
export const browser: { load?: () => Promise<BrowserFunctions> } = {}
