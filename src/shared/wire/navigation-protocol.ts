// The protocol of a navigation: the browser requests a page without loading a document, and the server responds with
// lines of JSON, each sent as soon as it is known.

import { type Boot, type BootLeaf, type BootModule, type ExtraProps, layoutKey } from './boot.ts'
import type { Flat, Settlement } from './promises.ts'
import type { PublicError } from './public-error.ts'

/** The query parameter that makes a request for a page a navigation. The server removes it before any hook runs. */
export const NAVIGATION_MARK = '_hydrant'
export const NAVIGATION_TYPE = 'application/x-ndjson'
/** What a live page asks for instead: events that say when it has to refresh. */
export const EVENTS_TYPE = 'text/event-stream'
/**
 * As a request header: the build whose scripts the open page runs. As a response header: Hydrant wrote this response.
 * Responses of hooks, proxies and other servers do not have this header.
 */
export const BUILD_HEADER = 'hydrant-build'
/** Request header: the keys of the current layouts, outermost first, separated by spaces. */
export const LAYOUTS_HEADER = 'hydrant-layouts'

/**
 * Response header: the action was called. The form must not be sent again, whatever the response contains. The value is
 * ACTED_WITH_COOKIE if the response sets a cookie, which `fetch` does not show.
 */
export const ACTED_HEADER = 'hydrant-acted'
export const ACTED_WITH_COOKIE = 'cookie'

/**
 * Request header of an action:
 *
 * - `only`: the response ends after the result of the action.
 * - `here`: the browser shows the page of the action, and needs it again only if the action revalidates.
 */
export const RESULT_HEADER = 'hydrant-result'

/**
 * Request header: the browser shows this page already. The response begins after all loads have ended, so that they
 * can still redirect and set cookies. The value is the position up to which a live page has to refresh, so that no older
 * response of the page cache is used; NO_POSITION if the stream of the page has not asked for it.
 */
export const REFRESH_HEADER = 'hydrant-refresh'
export const NO_POSITION = '1'

/** Whether a position of a live page, `<epoch>.<number>`, comes before another one of the same epoch: see `LivePages`. */
export function isBefore(position: string, other: string): boolean {
  const [epoch, number] = position.split('.')
  const [otherEpoch, otherNumber] = other.split('.')
  return epoch === otherEpoch && Number(number) < Number(otherNumber)
}

/** The result of an action. */
export interface Acted extends Pick<ExtraProps, 'actionData' | 'invalid' | 'action'> {
  /** False if the action has changed nothing that a page shows. */
  revalidate?: false
}

/** The first line, before any load has finished. */
export interface NavigationStart extends Boot {
  /** How many layouts stay. Their loads do not run. */
  kept: number
  /** Whether the page is live by one of them (false). */
  keepsLive?: true
  /** File names of the other scripts and stylesheets that the page needs. */
  preload: readonly string[]
}

/** A metric of the header `Server-Timing`, as browsers give it to scripts. */
export interface ServerMetric {
  name: string
  /** In milliseconds. */
  duration?: number
  description?: string
}

export type NavigationLine =
  | [kind: 'start', start: NavigationStart]
  /** The action has returned. The data is an `Acted`, or undefined. Sent before `start`. */
  | [kind: 'acted', acted: Flat]
  /**
   * The data of the layout with this index. The page's data has the next index, and its `ExtraProps` the one after.
   */
  | [kind: 'data', index: number, data: Flat]
  | [kind: 'settled', ...Settlement]
  /** An error takes the page's place, inside the outermost `level` layouts. */
  | [kind: 'shown', level: number, leaf: BootLeaf, shown: PublicError]
  /** With a 1, the form is sent to the new URL too. */
  | [kind: 'redirect', to: string, isSentOn?: 1]
  /** The browser has to load the document of the URL. */
  | [kind: 'load']
  /** In development, the last line of a stream: its headers were sent before the steps had ended. */
  | [kind: 'times', metrics: readonly ServerMetric[]]

/** Returns the value of the header with the current layouts. */
export function writeLayoutKeys(keys: readonly string[]): string {
  return keys.join(' ')
}

/** Returns how many of the layouts the browser already has, according to the header's value. */
export function countKept(layouts: readonly BootModule[], values: Record<string, string>, header: string): number {
  const current = header.split(' ')
  const first = layouts.findIndex((layout, index) => layoutKey(layout, values) !== current[index])
  return first === -1 ? layouts.length : first
}
