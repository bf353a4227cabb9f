import type { Flat, Settlement } from './deferred-data.ts'
import type { FormRules } from './field-rules.ts'
import { escapeScript } from './html.ts'
import { addField, joinFields } from './join-json.ts'
import type { PublicError } from './public-error.ts'
// The data that the document gives to the client: a script fills an array, first with the boot data, then with
// settlements and notices as they occur. The server writes it, and the client reads it.

/**
 * The global variable that holds the array, and the key in `sessionStorage` of the path that was loaded again because a
 * script was missing.
 */
export const BOOT_VARIABLE = '__hydrant'

/** A module of the site, as file names in the assets folder. */
export interface BootModule {
  /** The module's script; null for Hydrant's own root layout. */
  file: string | null
  css?: string[]
  /** For a layout: the names of the parameters in its folder's path. */
  params?: string[]
}

/** The module of the innermost component: a page, a not-found page or an error page. */
export interface BootLeaf extends BootModule {
  kind: 'page' | 'notFound' | 'shown'
  /** For a page with a form: the rules of its fields. */
  rules?: FormRules
}

/** The part of the boot data that is the same for every request of a page. */
export interface BootPlan {
  /** The outermost layout first, each with the script of the nearest error page for failures inside it. */
  layouts: (BootModule & { error?: string })[]
  leaf: BootLeaf
  /** Id of the build. */
  build: string
}

/** The part of the boot data that belongs to one document. */
export interface BootDocument {
  /** The page's URL as the server saw it. */
  url: string
  params: Record<string, string>
  /** The error that a leaf of the kind `shown` shows. */
  shown?: PublicError
  /** Host name in the sentence of a document that shows a failure. */
  host?: string
  /** How many failures the document may report, if it is not `MAX_REPORTS`; 0 for none. */
  reports?: number
  /** Whether the document may be loaded again if a script is missing (true). A reload would send its form again. */
  reload?: false
  /** Whether the document belongs to an exported site, which has files for navigations (false). */
  isExported?: true
}

export type Boot = BootPlan & BootDocument & { env?: Record<string, string> }

/** A message about the whole document. The 0 distinguishes it from a settlement, which begins with a promise's id. */
export type Notice =
  /** The document streams: another part follows within this time, and `end` when the document is complete. */
  | [0, kind: 'open', silenceMs: number]
  | [0, kind: 'end']
  /** The deadline has passed: the Suspense boundaries that are pending have failed. */
  | [0, kind: 'late', digest: string]

export type BootMessage = Settlement | Notice

export type BootQueue = [Boot & { data: Flat[] }, ...BootMessage[]]

/** Writes a plan as JSON that is safe inside a script. Call it once for all documents of a page. */
export function planText(plan: BootPlan): string {
  return escapeScript(JSON.stringify(plan))
}

/** Writes a `Boot` as JSON that is safe inside a script. `plan` is the result of `planText`. */
export function bootText(plan: string, document: BootDocument): string {
  return joinFields(escapeScript(JSON.stringify(document)), plan)
}

/**
 * Returns the script with the boot data.
 *
 * @param plan The result of `planText`.
 * @param data Results of `serialize`: the data of the layouts, of the page, and the page's extras if it has any. Empty
 *   if there is no data.
 * @param env The result of `publishEnv` (null).
 */
export function bootScript(
  plan: string,
  document: BootDocument,
  data: readonly string[],
  env: string | null = null,
): string {
  const text = bootText(plan, document)
  const boot = env === null ? text : addField(text, 'env', env)
  return `self.${BOOT_VARIABLE}=[${addField(boot, 'data', `[${data.join()}]`)}]`
}

/** Returns the script with a message. `message` is the result of `fulfilledText` or `messageText`. */
export function messageScript(message: string): string {
  return `self.${BOOT_VARIABLE}.push(${message})`
}
