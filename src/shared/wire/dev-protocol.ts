// Messages between `hydrant dev` and open pages, as JSON. Scripts of pages are in src/client/dev.

import type { ServerMetric } from './navigation-protocol.ts'

/** The event of a window whose page has taken an update without loading again. */
export const UPDATED_EVENT = 'hydrant-updated'

/** The event of a window that has read the times of a streamed response to a navigation. */
export const TIMES_EVENT = 'hydrant-times'

/** The detail of this event. */
export interface StreamedTimes {
  /** Of the request. */
  url: string
  metrics: readonly ServerMetric[]
}

/**
 * Where the error was found: by the build, on the server, in a browser, by a browser that hydrates a document, or in
 * the console of a browser, which only the terminal shows.
 */
export type DevErrorKind = 'build' | 'server' | 'browser' | 'hydration' | 'console'

/** The names of the kinds, as the overlay and the terminal show them. */
export const DEV_ERROR_KINDS: Record<DevErrorKind, string> = {
  build: 'Build error',
  server: 'Server error',
  browser: 'Browser error',
  hydration: 'Hydration difference',
  console: 'Browser console',
}

/** Lines of a source file. */
export interface DevCode {
  /** Number of the first line, from 1. */
  firstLine: number
  lines: readonly string[]
}

/** A place in a source file. */
export interface DevPlace {
  /** Path in the site with forward slashes; a path that begins with `../` is outside the site's folder. */
  file: string
  /** From 1; 0 when unknown. */
  line: number
  /** From 1; 0 when unknown. */
  column: number
  /** The export whose line the editor shows if the line is unknown. */
  export?: string
}

/** Formats a place: `pages/index.tsx:3:9`. */
export function formatDevPlace({ file, line, column }: DevPlace): string {
  return [file, ...(line > 0 ? [line] : []), ...(line > 0 && column > 0 ? [column] : [])].join(':')
}

/** The place of an error, with the code around it when it is known. */
export interface DevFrame extends DevPlace {
  code?: DevCode
}

/** A line of a stack, or a component in a stack of components. */
export interface DevStackLine {
  /** The name of the function or component; empty for none. */
  name: string
  /** Null when the place is unknown. */
  place: DevPlace | null
  /** True for the site's own code. */
  isSite: boolean
}

/** An error that caused another one, or one of several errors that failed together. */
export interface DevCause {
  message: string
  stack: readonly DevStackLine[]
}

/** A line of the difference between the document of the server and the tree of the browser. */
export interface DevDiffLine {
  /** The side that has this line. */
  side: 'both' | 'server' | 'browser'
  text: string
}

/** An error of a site in development. All texts are plain text. */
export interface DevError {
  /** Equal for all occurrences of an error. */
  id: string
  kind: DevErrorKind
  /** Says in a few words what failed: `load of /products failed`. */
  title: string
  /** The type and message of the error, with line breaks. */
  message: string
  /** The code of an error in Hydrant's table: `HYD_BUILD_SYNTAX`. */
  code?: string
  /** The remedy, as one sentence. */
  fix?: string
  digest?: string
  /** The command that looks up the digest. */
  lookUp?: string
  /** The site's route: `/products/[id]`. */
  route?: string
  /** The path of the page or request, without the query. */
  path?: string
  /** For a problem of the build that concerns only some pages: the names of their modules. */
  pages?: readonly string[]
  /** The name of the browser that reported the error. */
  browser?: string
  frame: DevFrame | null
  /** A sentence about the place. */
  note?: string
  stack: readonly DevStackLine[]
  /** The components around the place, innermost first. */
  componentStack: readonly DevStackLine[]
  diff?: readonly DevDiffLine[]
  causes?: readonly DevCause[]
}

/** The site has changed. The page keeps its state. */
export interface DevUpdate {
  type: 'update'
  /** The modules to import again, by id, with the names of their scripts in the assets folder. */
  modules: readonly { id: string; file: string }[]
  /** The stylesheets that have changed, by their names in the assets folder. */
  styles: readonly { file: string; css: string }[]
  /** Paths of files in `public/` that have changed. */
  files: readonly string[]
  /** Whether to run the loads of the page again. */
  data: boolean
}

/** The page must be loaded again, because its modules cannot be replaced. */
export interface DevReload {
  type: 'reload'
}

/** The complete list of current errors. */
export interface DevErrors {
  type: 'errors'
  errors: readonly DevError[]
}

/** A message of the channel. */
export type DevMessage = DevUpdate | DevReload | DevErrors

/** The path to which pages send texts of their console, by POST as JSON. */
export const CONSOLE_PATH = '/_hydrant/dev/console'

/** How many texts a page sends until it is loaded again or the source changes. */
export const MAX_CONSOLE_TEXTS = 20

/** The greatest length of each field, in characters. The browser cuts longer ones, and the server refuses them. */
export const MAX_CONSOLE_LENGTH = 4_000

/** A text that a page has written with `console.error`. */
export interface ConsoleText {
  /** The path of the page's URL. */
  path: string
  message: string
  /** The stack of the call as the browser wrote it. */
  stack: string
  /** The places that created the component that React works on, and its owners; empty when there is none. */
  ownerStack: string
}
