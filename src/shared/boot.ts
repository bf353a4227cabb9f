// What the document tells the browser's side, as a script that fills an array: first the boot data, then
// settlements as they come. Written by the server, read by the client.

import type { Flat, Settlement } from './data.ts'
import { escapeScript } from './html.ts'
import type { Shown } from './shown.ts'

/** The global variable that holds the array. */
export const BOOT_VARIABLE = '__hydrant'

/** A module of the site, as file names in the assets folder. */
export interface BootModule {
  /** Its script; null for Hydrant's own root layout. */
  file: string | null
  css?: string[]
}

/** What stands innermost. */
export type BootLeaf =
  | (BootModule & { kind: 'page' })
  | (BootModule & { kind: 'notFound' })
  | (BootModule & { kind: 'shown'; shown: Shown })

/** What is the same each time a page is served. */
export interface BootPlan {
  /** Outermost first. */
  layouts: BootModule[]
  /** The error page that stands directly inside each layout, if there is one. */
  errors: (string | null)[]
  leaf: BootLeaf
}

/** What belongs to one document. */
export interface BootVisit {
  /** The page's address as the server saw it. */
  url: string
  params: Record<string, string>
  /** Host name in the sentence of a document that stands on a failure. */
  host?: string
}

export type Boot = BootPlan & BootVisit

export type BootQueue = [Boot & { data: Flat[] }, ...Settlement[]]

/** Writes a plan once; `bootScript` takes what comes out. */
export function planText(plan: BootPlan): string {
  return escapeScript(JSON.stringify(plan)).slice(1, -1)
}

/** `data` holds what `serialise` wrote: of the layouts' data, then of the page's. Empty when there is none. */
export function bootScript(plan: string, visit: BootVisit, data: readonly string[]): string {
  const json = escapeScript(JSON.stringify(visit))
  return `self.${BOOT_VARIABLE}=[${json.slice(0, -1)},${plan},"data":[${data.join()}]}]`
}

/** `data` is what `serialise` wrote. */
export function settledScript(id: number, data: string): string {
  return `self.${BOOT_VARIABLE}.push([${id},"value",${data}])`
}

export function settlementScript(settlement: Settlement): string {
  return `self.${BOOT_VARIABLE}.push(${escapeScript(JSON.stringify(settlement))})`
}
