import { createContext, type FragmentInstance } from 'react'
import type { ExtraProps } from '../wire/boot.ts'
import type { Side } from '../wire/public-error.ts'

/** A page's URL. On the server it is parsed when it is first read; most pages never read it. */
export interface Address {
  readonly url: URL
}

/** The values and functions that differ between the server and the browser. */
export interface Platform {
  /** Missing in the bundles for browsers. */
  side?: Side
  /** The host name in the address bar, without a port. */
  host: string
  /** The query of the URL, with its question mark, or an empty string. */
  search: string
  /**
   * The base of the site, as `base.ts` has it in the bundles of a site. On the server only: there, one module renders the
   * pages of sites with different bases.
   */
  base?: string
  /** The nonce of the document's scripts. On the server only. */
  nonce?: string
  /** The result of the page's action, if it has just run. In the browser `createAppTree` sets it. */
  extras?: ExtraProps | undefined
  /** The number of pages that this document has shown before. A boundary forgets a failure when the number changes. */
  page: number
  /** Returns the script that corrects the host name in a fallback. On the server only. */
  hostScript?(nonce: string): string
  /** The nonce of styles, if the document's policy has one. On the server only. */
  styleNonce?: string | undefined
  /**
   * Returns the digest that the server wrote for a failed Suspense boundary in this part of the page. In the browser
   * only.
   */
  findDigest?(part: FragmentInstance | null): string | undefined
  /** Loads the page again. */
  reload(): void
  /**
   * Tries to recover from an error that a boundary has caught. Returns a promise to wait for, or 0 if the part that
   * failed can be rendered again. In the browser only.
   */
  recover?(thrown: unknown, boundary: object): Promise<undefined> | 0 | false | undefined
}

/** The platform outside of a page. In the bundles for browsers, `hydrate` adds the values of the document. */
export const defaultPlatform =
  typeof HYDRANT_BROWSER === 'undefined'
    ? {
        side: 'server' as const,
        host: 'this site',
        search: '',
        page: 0,
        reload() {},
      }
    : { page: 0 }

// The cast is safe because `hydrate` runs before any component.
export const PlatformContext = createContext(defaultPlatform as Platform)
