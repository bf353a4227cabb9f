// Who gets what: each position of a failure with what each client gets and what the log says.

/** J Chromium with JavaScript, N without; H an HTTP client, A one that asks for JSON, B a crawler. */
export type Client = 'J' | 'N' | 'H' | 'A' | 'B'

export type Outcome =
  /** The server-side sentence, known before the headers. */
  | { kind: 'failure'; status: 500 | 504; as: 'document' | 'problem' }
  /** The server-side sentence in a document that had begun with 200. */
  | { kind: 'late' }
  /** The same, but the browser renders what the server could not. */
  | { kind: 'recovered' }
  | { kind: 'refusal'; status: number; message: string; as: 'document' | 'problem' }
  /** All is well. */
  | { kind: 'page' }
  | { kind: 'json' }

export interface LogExpectation {
  /** Of what browsers and HTTP clients get; other clients are decided at another moment. */
  phase: 'load' | 'action' | 'render' | 'stream' | 'route'
  /** The file of the site whose line has thrown: the first frame of the stack. */
  file?: string
  /** What the deadline has found unfinished. */
  pending?: string
  /** The file that throws while the failure is shown, with a line of its own. */
  second?: string
}

export interface Position {
  code: string
  path: string
  /** How it is asked for ('GET'). A browser sends the form with the button `#fail` of the page. */
  method?: 'POST'
  /** The route as the site's developer writes it, if it is not the path. */
  route?: string
  outcomes: Record<Client, Outcome>
  log?: LogExpectation
  /** Is there a counter in the part of the page that goes on working? */
  hasCounter?: boolean
  /** What a browser with JavaScript shows in the end, where hydration alone does not say so. */
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
  message: 'This page has no data; ask for text/html.',
  as: 'problem',
}

/** The same for everybody who wants a document. */
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
    // A route is no page: who does not ask for HTML does not get it.
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
  // The server does its part well; what becomes of it in a browser is looked at elsewhere.
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

/** Where something that is no Error is thrown. */
export const thrownAt = ['load', 'render', 'deferred'] as const
export type ThrownAt = (typeof thrownAt)[number]

export interface ThrownKind {
  kind: string
  /** What the log says of it. */
  type: string
  message: RegExp
  /** The same where React has looked at it first, so that what its traps and getters throw takes its place. */
  rendered?: { type: string; message: RegExp }
}

/** F13: what is thrown. */
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
