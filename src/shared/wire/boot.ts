// What the document tells the browser's side, as a script that fills an array: first the boot data, then
// settlements and notices as they come. Written by the server, read by the client.

import type { Flat, Settlement } from './deferred-data.ts'
import { escapeScript } from './html.ts'
import type { PublicError } from './public-error.ts'

/** The global variable that holds the array. */
export const BOOT_VARIABLE = '__hydrant'

/** A module of the site, as file names in the assets folder. */
export interface BootModule {
  /** Its script; null for Hydrant's own root layout. */
  file: string | null
  css?: string[]
  /** Of a layout: names of the parameters in its folder's path. */
  params?: string[]
}

/** What stands innermost. */
export interface BootLeaf extends BootModule {
  kind: 'page' | 'notFound' | 'shown'
}

/** What is the same each time a page is served. */
export interface BootPlan {
  /** Outermost first, each with the script of the nearest error page for what fails inside it. */
  layouts: (BootModule & { error?: string })[]
  leaf: BootLeaf
  /** Id of the build. */
  build: string
}

/** What belongs to one document. */
export interface BootVisit {
  /** The URL of the page, as the server sees it. */
  url: string
  params: Record<string, string>
  /** What a leaf of that kind shows. */
  shown?: PublicError
  /** Host name in the sentence of a document that stands on a failure. */
  host?: string
  /** Set when the document must not report failures. */
  reports?: 0
}

export type Boot = BootPlan & BootVisit

/** What concerns the document and not one promise, which 0 says. */
export type Notice =
  /** The document comes in parts: within that time something more of it, and `end` when it is complete. */
  | [0, kind: 'open', silenceMs: number]
  | [0, kind: 'end']
  /** The Suspense boundaries that are pending have failed: the deadline has passed. */
  | [0, kind: 'late', digest: string]

export type BootMessage = Settlement | Notice

export type BootQueue = [Boot & { data: Flat[] }, ...BootMessage[]]

/** Writes a plan for `bootScript`, once for all visits. */
export function planText(plan: BootPlan): string {
  return escapeScript(JSON.stringify(plan)).slice(1, -1)
}

/**
 * `data` holds what `serialise` wrote: of the layouts' data, then of the page's, then of what its action returned if it
 * returned anything. Empty when there is none.
 */
export function bootScript(plan: string, visit: BootVisit, data: readonly string[]): string {
  return `self.${BOOT_VARIABLE}=[${bootText(plan, visit).slice(0, -1)},"data":[${data.join()}]}]`
}

/** A `Boot` as JSON that is safe inside a script. */
export function bootText(plan: string, visit: BootVisit): string {
  return `${escapeScript(JSON.stringify(visit)).slice(0, -1)},${plan}}`
}

/** `message` is what `fulfilledText` or `messageText` wrote. */
export function messageScript(message: string): string {
  return `self.${BOOT_VARIABLE}.push(${message})`
}
