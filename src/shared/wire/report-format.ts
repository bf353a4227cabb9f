// A browser's report of a failure. Written by src/client/report.ts, read by src/server/site/parse-report.ts.

// A literal: bundlers would make a script of its own of `paths.ts` if two scripts that are loaded later used it.
/** The path to which reports are sent, by POST as JSON. */
export const REPORT_PATH = '/_hydrant/report'

/** How many reports a page sends, if the boot data contains no other number. */
export const MAX_REPORTS = 10

export interface ReportedError {
  type: string
  message: string
  /** The stack as the browser wrote it, `withoutQueries`. */
  stack: string
  cause?: ReportedError
  /** The errors of an AggregateError. */
  errors?: ReportedError[]
}

interface ReportedPage {
  /** Id of the build that the page runs. */
  build: string
  /** The path of the page's URL. */
  path: string
}

export type Report =
  | (ReportedPage & {
      kind: 'failure'
      /** Whether the page works nevertheless. */
      isRecovered: boolean
      error: ReportedError
      /** React's component stack. */
      componentStack?: string
    })
  /** The browser has rendered the part that failed on the server with this digest. */
  | (ReportedPage & { kind: 'recovered'; digest: string })

/** The greatest length of each text, in characters. The browser cuts longer texts, and the server refuses them. */
export const REPORT_LENGTHS = {
  build: 64,
  path: 2_000,
  type: 100,
  message: 2_000,
  stack: 5_000,
  /** The stack of an error in an AggregateError, and of its causes. */
  innerStack: 1_500,
  componentStack: 4_000,
  digest: 20,
} as const

/**
 * Removes the queries and fragments of the URLs in a stack, as any browser wrote it. For an inline script, browsers write
 * the URL of the page. Takes linear time.
 */
export function withoutQueries(stack: string): string {
  return stack.replace(/(:\/\/[^\s?#]*)\S*?((?::\d{1,10}:\d{1,10})?[),]{0,9}(?!\S))/g, '$1$2')
}

/** How many levels of `cause` and `errors` a report contains. */
export const MAX_REPORTED_CAUSES = 2
/** How many errors of an AggregateError a report contains. */
export const MAX_REPORTED_ERRORS = 5
/** How many causes, and errors of an AggregateError, a report contains together. */
export const MAX_REPORTED_INNER = 10

// The build adds calls to the scripts of browsers that keep the stack of each thrown value without a stack of its own.
// `src/client/report.ts` reads them.

/** The global variable of the kept stacks. It is undefined until the first such value is thrown. */
export const STACKS_VARIABLE = '__hydrant_thrown'

/** How many texts, numbers and other primitive values have a stack. The oldest are forgotten. */
export const MAX_PRIMITIVES = 50

/** Stacks as the browser wrote them, whose first frame is the function that keeps them. */
export type ThrownStacks = [primitives: Map<unknown, string>, objects: WeakMap<WeakKey, string>]
