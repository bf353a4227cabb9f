// How the browser asks for a page that it goes to without loading a document, and what the server answers: lines of
// JSON, each sent as soon as it is known. Both halves of the protocol stand here.

import type { Boot, BootLeaf, BootModule } from './boot.ts'
import type { Flat, Settlement } from './deferred-data.ts'
import { layoutKey } from './layout-key.ts'
import type { PublicError } from './public-error.ts'

/** Parameter of the query that makes a request for a page a navigation. The server takes it away before any hook runs. */
export const NAVIGATION_MARK = '_hydrant'
export const NAVIGATION_TYPE = 'application/x-ndjson'
/**
 * Request header: the build whose scripts the page runs. Response header: Hydrant itself has written this answer. Whatever
 * else answers does not have it.
 */
export const BUILD_HEADER = 'hydrant-build'
/** Request header: keys of the layouts that stand, outermost first, with spaces between. */
export const LAYOUTS_HEADER = 'hydrant-layouts'

/** Response header: the action has been called. The form must not be sent again, whatever the answer looks like. */
export const ACTED_HEADER = 'hydrant-acted'

/** The first line, before any load has finished. */
export interface NavigationStart extends Boot {
  /** How many layouts stay as they are; they are not loaded again. */
  kept: number
  /** Further scripts and stylesheets that the page will need, as file names. */
  preload: readonly string[]
}

export type NavigationLine =
  | [kind: 'start', start: NavigationStart]
  /** Data of the layout with that index, of the page behind the last of them, or behind that what its action returned. */
  | [kind: 'data', index: number, data: Flat]
  | [kind: 'settled', ...Settlement]
  /** What stands in the page's place, inside that many layouts. */
  | [kind: 'shown', level: number, leaf: BootLeaf, shown: PublicError]
  /** With a 1, what was sent is sent there as well. */
  | [kind: 'redirect', to: string, isSentOn?: 1]
  /** Load the document of this address instead. */
  | [kind: 'load']

export function writeLayoutKeys(keys: readonly string[]): string {
  return keys.join(' ')
}

/** How many of the layouts stand already, according to the header's value. */
export function countKept(layouts: readonly BootModule[], values: Record<string, string>, header: string): number {
  const standing = header.split(' ')
  const first = layouts.findIndex((layout, index) => layoutKey(layout, values) !== standing[index])
  return first === -1 ? layouts.length : first
}
