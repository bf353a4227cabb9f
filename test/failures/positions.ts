// The failure matrix: each position of a failure, the result for each client, and the log line.

/**
 * J is Chromium with JavaScript, N is Chromium without. H is an HTTP client, A one that requests JSON. B is a
 * crawler.
 */
export type Client = 'J' | 'N' | 'H' | 'A' | 'B'

export type Outcome =
  /** The server-side sentence, known before the headers. */
  | { kind: 'failure'; status: 500 | 504; as: 'document' | 'problem' }
  /** The server-side sentence in a document that began with 200. */
  | { kind: 'late' }
  /** As `late`, but the browser renders the content that the server could not. */
  | { kind: 'recovered' }
  | { kind: 'refusal'; status: number; message: string; as: 'document' | 'problem' }
  /** The page works. */
  | { kind: 'page' }
  | { kind: 'json' }

export interface LogExpectation {
  /** The phase for browsers and HTTP clients. For other clients it may differ. */
  phase: 'load' | 'action' | 'render' | 'stream' | 'route'
  /** The file of the site whose line throws: the first frame of the stack. */
  file?: string
  /** The pending work that the deadline names. */
  pending?: string
  /** The file that throws while the failure is shown. It has a log line of its own. */
  second?: string
}

export interface Position {
  code: string
  path: string
  /** The method of the request (GET). A browser sends the form with the page's button `#fail`. */
  method?: 'POST'
  /** The route as the site's developer writes it, if it differs from the path. */
  route?: string
  outcomes: Record<Client, Outcome>
  log?: LogExpectation
  /** Whether the part of the page that keeps working has a counter. */
  hasCounter?: boolean
  /** The final text in a browser with JavaScript, if hydration alone does not show it. */
  settles?: string
  /** A line of the site's own failure page. */
  ownPage?: string
}

const DOCUMENT_500: Outcome = { kind: 'failure', status: 500, as: 'document' }
const DOCUMENT_504: Outcome = { kind: 'failure', status: 504, as: 'document' }
const PROBLEM_500: Outcome = { kind: 'failure', status: 500, as: 'problem' }
const PROBLEM_504: Outcome = { kind: 'failure', status: 504, as: 'problem' }
const LATE: Outcome = { kind: 'late' }
const PAGE: Outcome = { kind: 'page' }
const JSON_DATA: Outcome = { kind: 'json' }
const NO_DATA: Outcome = {
  kind: 'refusal',
  status: 406,
  message: 'This page has no data; request text/html instead.',
  as: 'problem',
}

/** Returns the same outcome for every client that requests a document. */
const forAll = (outcome: Outcome, A: Outcome) => ({ J: outcome, N: outcome, H: outcome, B: outcome, A })

function refusal(status: number, message: string) {
  const parts = { kind: 'refusal', status, message } as const
  return forAll({ ...parts, as: 'document' }, { ...parts, as: 'problem' })
}

const NOT_FOUND = refusal(404, 'This page could not be found.')
const FORBIDDEN = refusal(403, 'Members only')

export const positions: readonly Position[] = [
  {
    code: 'F1',
    path: '/failures/f1/fail',
    outcomes: forAll(DOCUMENT_500, NO_DATA),
    log: { phase: 'render', file: 'pages/failures/f1/fail.tsx' },
  },
  {
    code: 'F1 on the server only',
    path: '/failures/f1b/fail',
    outcomes: forAll(DOCUMENT_500, NO_DATA),
    log: { phase: 'render', file: 'pages/failures/f1b/fail.tsx' },
  },
  {
    code: 'F2',
    path: '/failures/f2/fail',
    outcomes: { J: LATE, N: LATE, H: LATE, A: JSON_DATA, B: DOCUMENT_500 },
    log: { phase: 'stream', file: 'pages/failures/f2/fail.tsx' },
    hasCounter: true,
  },
  {
    code: 'F2 before the shell',
    path: '/failures/f2-shell/fail',
    outcomes: forAll(DOCUMENT_500, NO_DATA),
    log: { phase: 'render', file: 'pages/failures/f2-shell/fail.tsx' },
  },
  {
    code: 'F2b',
    path: '/failures/f2b/fail',
    outcomes: { J: { kind: 'recovered' }, N: LATE, H: LATE, A: JSON_DATA, B: DOCUMENT_500 },
    log: { phase: 'stream', file: 'pages/failures/f2b/fail.tsx' },
    hasCounter: true,
  },
  {
    code: 'F3 in a page',
    path: '/failures/f3/fail',
    outcomes: forAll(DOCUMENT_500, PROBLEM_500),
    log: { phase: 'load', file: 'pages/failures/f3/fail.server.ts' },
  },
  {
    code: 'F3 in a layout',
    path: '/failures/f3-layout/fail',
    outcomes: forAll(DOCUMENT_500, PROBLEM_500),
    log: { phase: 'load', file: 'pages/failures/f3-layout/layout.server.ts' },
  },
  {
    code: 'F4',
    path: '/failures/f4/fail',
    outcomes: { J: LATE, N: LATE, H: LATE, A: PROBLEM_500, B: DOCUMENT_500 },
    log: { phase: 'stream', file: 'pages/failures/f4/fail.server.ts' },
    hasCounter: true,
  },
  {
    code: 'F5',
    path: '/failures/f5/fail',
    method: 'POST',
    outcomes: forAll(DOCUMENT_500, PROBLEM_500),
    log: { phase: 'action', file: 'pages/failures/f5/fail.server.ts' },
  },
  {
    code: 'F6',
    path: '/failures/f6/fail',
    // A route is not a page: clients that do not request HTML do not get it.
    outcomes: { ...forAll(DOCUMENT_500, PROBLEM_500), H: PROBLEM_500 },
    log: { phase: 'route', file: 'server.ts' },
  },
  {
    code: 'A refusal by a route',
    path: '/failures/f6/refuse',
    outcomes: { ...FORBIDDEN, H: FORBIDDEN.A },
  },
  { code: 'F12 by notFound()', path: '/failures/f12/fail', outcomes: NOT_FOUND },
  { code: 'F12 at an unknown address', path: '/no-such-page', route: '*', outcomes: NOT_FOUND },
  {
    code: 'F14 in error.tsx',
    path: '/failures/f14/fail',
    outcomes: forAll(DOCUMENT_500, NO_DATA),
    log: { phase: 'render', file: 'pages/failures/f14/fail.tsx', second: 'pages/failures/f14/error.tsx' },
  },
  {
    code: 'F14 in a layout',
    path: '/failures/f14-layout/fail',
    outcomes: forAll(DOCUMENT_500, NO_DATA),
    log: { phase: 'render', file: 'pages/failures/f14-layout/layout.tsx' },
  },
  {
    code: 'F15 in load',
    path: '/failures/f15/fail',
    outcomes: forAll(DOCUMENT_504, PROBLEM_504),
    log: { phase: 'load', pending: 'pages/failures/f15/fail.server.ts' },
  },
  {
    code: 'F15 in the shell',
    path: '/failures/f15-shell/fail',
    outcomes: forAll(DOCUMENT_504, NO_DATA),
    log: { phase: 'render', pending: 'pages/failures/f15-shell/fail.tsx' },
  },
  {
    code: 'F15 in a stream',
    path: '/failures/f15-stream/fail',
    outcomes: { J: LATE, N: LATE, H: LATE, A: NO_DATA, B: DOCUMENT_504 },
    log: { phase: 'stream', pending: 'pages/failures/f15-stream/fail.tsx' },
    hasCounter: true,
  },
  {
    code: 'F15 by a deferred promise',
    path: '/failures/f15-deferred/fail',
    outcomes: { J: LATE, N: LATE, H: LATE, A: PROBLEM_504, B: DOCUMENT_504 },
    log: { phase: 'stream', pending: 'data.late' },
    hasCounter: true,
  },
  {
    code: 'A failure page of one’s own',
    path: '/failures/own/fail',
    outcomes: forAll(DOCUMENT_500, PROBLEM_500),
    log: { phase: 'load', file: 'pages/failures/own/fail.server.ts' },
    ownPage: '500 This page has failed',
  },
  {
    code: 'A refusal by load',
    path: '/failures/own/refused',
    outcomes: FORBIDDEN,
    ownPage: '403 This page is not for you',
  },
  // The server-side part succeeds. Other tests check the browser.
  { code: 'F7', path: '/failures/f7/fail', outcomes: forAll(PAGE, NO_DATA) },
  { code: 'F8', path: '/failures/f8/fail', outcomes: forAll(PAGE, NO_DATA), hasCounter: true },
  { code: 'F8b', path: '/failures/f8b/fail', outcomes: forAll(PAGE, NO_DATA), hasCounter: true },
  {
    code: 'F9',
    path: '/failures/f9/fail',
    outcomes: forAll(PAGE, NO_DATA),
    hasCounter: true,
    settles: 'Rendered by the browser',
  },
]

/** Places where values that are not Errors are thrown. */
export const thrownAt = ['load', 'render', 'deferred'] as const
export type ThrownAt = (typeof thrownAt)[number]

export interface ThrownKind {
  kind: string
  /** The type and message in the log. */
  type: string
  message: RegExp
  /** This also holds if React has inspected the value first, so that an error of its traps and getters replaces it. */
  rendered?: { type: string; message: RegExp }
}

/** F13: the thrown values. */
export const thrownKinds: readonly ThrownKind[] = [
  { kind: 'string', type: 'string', message: /^SECRET-MARKER f13 string$/ },
  { kind: 'null', type: 'null', message: /null/ },
  { kind: 'undefined', type: 'undefined', message: /undefined/ },
  { kind: 'symbol', type: 'symbol', message: /Symbol\(SECRET-MARKER f13 symbol\)/ },
  { kind: 'object', type: 'Object', message: /keys digest, message/ },
  { kind: 'frozen', type: 'Error', message: /^SECRET-MARKER f13 frozen$/ },
  {
    kind: 'proxy',
    type: 'Proxy',
    message: /Proxy/,
    rendered: { type: 'Error', message: /^SECRET-MARKER f13 proxy$/ },
  },
  {
    kind: 'getters',
    type: 'Error',
    message: /cannot be read/,
    rendered: { type: 'Error', message: /^SECRET-MARKER f13 getters$/ },
  },
  { kind: 'huge', type: 'Error', message: /^SECRET-MARKER f13 huge.{0,2500}$/ },
  { kind: 'cycle', type: 'Error', message: /^SECRET-MARKER f13 cycle, outer$/ },
  { kind: 'aggregate', type: 'AggregateError', message: /^SECRET-MARKER f13 aggregate$/ },
]

export function thrownPosition(kind: string, at: ThrownAt): Position {
  const outcomes: Record<ThrownAt, Position['outcomes']> = {
    load: forAll(DOCUMENT_500, PROBLEM_500),
    render: forAll(DOCUMENT_500, JSON_DATA),
    deferred: { J: LATE, N: LATE, H: LATE, A: PROBLEM_500, B: DOCUMENT_500 },
  }
  const phases = { load: 'load', render: 'render', deferred: 'stream' } as const
  return {
    code: `F13, ${kind}, ${at}`,
    path: `/failures/f13/${kind}${at === 'load' ? '' : `?at=${at}`}`,
    route: '/failures/f13/[kind]',
    outcomes: outcomes[at],
    log: { phase: phases[at] },
  }
}
