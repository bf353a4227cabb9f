import { createContext, type FragmentInstance } from 'react'
import type { Side } from '../page-types.ts'
import { idleStore, type NavigationStore } from './navigation-state.ts'

/** What the tree asks of the side that it runs on. */
export interface Platform {
  side: Side
  /** The host name in the address bar, without a port. */
  host: string
  /** The address's query, with its question mark, or empty. */
  search: string
  /** Of the document that is being rendered; on the server only. */
  nonce?: string
  /** What the browser is doing. */
  navigation: NavigationStore
  /** What the page's action returned, when it has just run, */
  actionData?: unknown
  /** and the page's address; in the browser both are what `createAppTree` is given. */
  address?: { readonly url: URL }
  /** Counts the pages that have stood in this document: what failed on one of them is forgotten with the next. */
  page: number
  /** With it: writes what corrects the host in a fallback. */
  hostScript?(nonce: string): string
  /** Of the document's styles, where its policy has one for them. */
  styleNonce?: string | undefined
  /** On the server: adds the address to a component's props without parsing it. */
  addUrl?<Props extends object>(props: Props, address: { readonly url: URL }): Props & { readonly url: URL }
  /** In the browser: the digest that the server left for a failed Suspense boundary inside that place of the page, if any. */
  findDigest?(place: FragmentInstance | null): string | undefined
  /** Loads the page again. */
  reload(): void
  /**
   * In the browser: loads the page again if that may mend what was thrown, and returns a promise that never settles, to
   * wait for meanwhile.
   */
  recover?(thrown: unknown): Promise<never> | undefined
}

export const PlatformContext = createContext<Platform>({
  side: 'server',
  host: 'this site',
  search: '',
  navigation: idleStore,
  page: 0,
  reload() {},
})
