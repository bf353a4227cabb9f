import { createContext, type FragmentInstance } from 'react'
import type { Side } from './page-types.ts'

/** What the tree asks of the side that it runs on. */
export interface Platform {
  side: Side
  /** Host name in the address bar, without a port. */
  host: string
  /** The address's query, with its question mark, or empty. */
  search: string
  /** Of the document that is being rendered; on the server only. */
  nonce?: string
  /** The digest that the server left for a failed Suspense boundary inside that place of the page, if any. */
  findDigest(place: FragmentInstance | null): string | undefined
  /** Loads the page again. */
  reload(): void
}

export const PlatformContext = createContext<Platform>({
  side: 'server',
  host: 'this site',
  search: '',
  findDigest: () => undefined,
  reload() {},
})
