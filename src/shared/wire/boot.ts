import { escapeScript } from './html.ts'
import type { Flat, Settlement } from './promises.ts'
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
  /** For a layout: the path of its folder in `pages/`. For a page: its route. */
  route?: string
  /** For a layout: the names of the parameters in its folder's path. */
  params?: string[]
}

/** The module of the innermost component: a page, a not-found page or an error page. */
export interface BootLeaf extends BootModule {
  kind: 'page' | 'notFound' | 'shown'
  /** For a page with forms: the rules of their fields. */
  rules?: ActionRules
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
  /** For a live page: what it contains of all that was published. */
  live?: string
  /** The mark of the visitor: empty for nobody. A response that says nothing of its visitor has none. */
  visitor?: string
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

// Texts that are JSON already are put together as they are, so that nothing is parsed or written twice.

/**
 * Writes the fields of a plan, without braces, as JSON that is safe inside a script. Call it once for all documents of a
 * page.
 */
export function planFields(plan: BootPlan): string {
  return escapeScript(JSON.stringify(plan)).slice(1, -1)
}

/** Writes the fields of a `Boot` as `planFields` does. `plan` is the result of that function. */
export function bootFields(plan: string, document: BootDocument): string {
  return `${escapeScript(JSON.stringify(document)).slice(1, -1)},${plan}`
}

/**
 * Returns the script with the boot data.
 *
 * @param plan The result of `planFields`.
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
  const variables = env === null ? '' : `"env":${env},`
  return `self.${BOOT_VARIABLE}=[{${bootFields(plan, document)},${variables}"data":[${data.join()}]}]`
}

/** Returns the script with a message. `message` is the result of `fulfilledText` or `messageText`. */
export function messageScript(message: string): string {
  return `self.${BOOT_VARIABLE}.push(${message})`
}

/** Returns a settlement with a value, as JSON that is safe inside a script. `data` is the result of `serialize`. */
export function fulfilledText(id: number, data: string): string {
  return `[${id},"value",${data}]`
}

/** Returns any message other than a settlement with a value, as JSON that is safe inside a script. */
export function messageText(message: Exclude<BootMessage, [number, 'value', Flat]>): string {
  return escapeScript(JSON.stringify(message))
}

/**
 * Returns the key of a layout for the given parameters. A layout has another key for each value of the parameters in
 * its folder's path: around another product it is another layout. The built-in layout has no file, and a key: `fetch`
 * removes the space after an empty one from the header.
 */
export function layoutKey({ file, params = [] }: BootModule, values: Record<string, string>): string {
  return [file ?? '-', ...params.map((name) => encodeURIComponent(values[name] ?? ''))].join('/')
}

/** Returns the array with one more item, which is JSON, before all others. */
export function prependItem(item: string, array: string): string {
  return array === '[]' ? `[${item}]` : `[${item},${array.slice(1)}`
}

/** A form that was not accepted. */
export interface Invalid {
  /** The messages of each field by its name (`items[0].name`), and those of the whole form by the empty name. */
  issues: Record<string, string[]>
  /** The texts of the form by the names of their fields, without files and secrets. */
  values: Record<string, string | string[]>
}

/** The props that a page has in addition to its data. Each is missing if the page has none. */
export interface ExtraProps {
  /** The value that the page's action returned. */
  actionData?: unknown
  /** The form that was sent and not accepted. */
  invalid?: Invalid
  /** The name of the action that `actionData` or `invalid` is from, on a page with named actions. */
  action?: string
  /** The output of the schema `params`. */
  params?: unknown
  /** The output of the schema `search`. */
  search?: unknown
  /** The promise of the page's `loadVisitor`. */
  visitorData?: PromiseLike<unknown>
}

/** The rules of a field that a browser checks: attributes of `<input>`, with the names of React's props. */
export interface FieldRules {
  type?: 'email' | 'url' | 'date' | 'time' | 'number' | 'file'
  required?: true
  multiple?: true
  minLength?: number
  maxLength?: number
  min?: number
  max?: number
  step?: number | 'any'
  pattern?: string
  accept?: string
}

/** The rules of a form by the names of its fields. An item of an array is `items[].name`. */
export type FormRules = Record<string, FieldRules>

/**
 * The rules of the forms of a page by the names of their actions: null for an action without a schema. The form of a page
 * without named actions has an empty name.
 */
export type ActionRules = Record<string, FormRules | null>
