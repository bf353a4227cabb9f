import { href, type RouteId } from 'hydrant/react'

/** What each kind of client sees of a page: a browser with and without JavaScript, and scripts. */
export interface Sights {
  /** Chromium with JavaScript. */
  J: string
  /** Chromium without JavaScript. */
  N: string
  /** curl. */
  H: string
  /** A client that requests JSON. */
  A: string
  /** A crawler. */
  B: string
}

export interface Group {
  id: 'load' | 'shell' | 'stream' | 'browser' | 'deadline' | 'beside'
  title: string
}

/** The groups, ordered by the moment of the failure in the life of a page. */
export const groups: readonly Group[] = [
  { id: 'load', title: 'While the data is loaded' },
  { id: 'shell', title: 'While the shell is rendered' },
  { id: 'stream', title: 'After the shell has been sent' },
  { id: 'browser', title: 'In the browser' },
  { id: 'deadline', title: 'Deadlines, and visitors who leave' },
  { id: 'beside', title: 'Routes, and your own error pages' },
]

export interface Position {
  /** The last part of the address: `/failures/f2b`. */
  id: string
  group: Group['id']
  /** The status that a browser gets. */
  status: number
  code: string
  title: string
  /** The failure, in a sentence or two. */
  what: string
  /** The source that fails. */
  source: { file: string; code: string }
  sees: Sights
  log: string
  tries: readonly { href: string; label: string }[]
}

const SAME_AS_N = 'The same as N.'
const WHOLE_500 = '500. A complete document with the server-side sentence and the digest. It needs no script.'
const FALLBACK_500 =
  '500. The server-side sentence with the digest in place of the page, inside the layouts, hydrated, with a Try again button.'
const CRAWLER_500 = '500 with the sentence. A crawler gets a page only when all of it is ready, with its final status.'
const NO_LOAD = '406: this page has no load, so it has no JSON. It is not rendered.'
const PROBLEM_500 = '500, application/problem+json, with the same digest as the log.'
const JSON_200 = '200 and the data: load succeeds, and JSON needs no rendering.'
const NOSCRIPT =
  '200, which was already sent. The sentence and the digest are at the end of the document, in <noscript>.'

type FailingId<Route> = Route extends `/failures/${infer Id}/fail` ? Id : never

function failNow(id: FailingId<RouteId>): Position['tries'] {
  return [{ href: href(`/failures/${id}/fail`), label: 'Fail now' }]
}

/** The kinds of values that `/failures/f13/[kind]` throws. */
export const thrownKinds = [
  'string',
  'null',
  'undefined',
  'symbol',
  'object',
  'frozen',
  'proxy',
  'getters',
  'huge',
  'cycle',
  'aggregate',
] as const

export type ThrownKind = (typeof thrownKinds)[number]

export const positions: readonly Position[] = [
  {
    id: 'f1',
    group: 'shell',
    status: 500,
    code: 'F1',
    title: 'A component throws while the shell renders',
    what: 'It would also throw in the browser. Nothing has been sent yet, so the status can still be 500.',
    source: {
      file: 'pages/failures/f1/fail.tsx',
      code: `function Broken(): ReactNode {\n  throw new Error('…')\n}`,
    },
    sees: { J: FALLBACK_500, N: WHOLE_500, H: WHOLE_500, A: NO_LOAD, B: CRAWLER_500 },
    log: 'One error line, phase render, with this digest. The first frame of its stack is the failing line of fail.tsx.',
    tries: failNow('f1'),
  },
  {
    id: 'f1b',
    group: 'shell',
    status: 500,
    code: 'F1b',
    title: 'A component throws while the shell renders, on the server only',
    what: 'The browser could render it, but the server has already decided: the status is 500, and the browser hydrates the fallback.',
    source: {
      file: 'pages/failures/f1b/fail.tsx',
      code: `if (typeof window === 'undefined') throw new Error('…')`,
    },
    sees: { J: FALLBACK_500, N: WHOLE_500, H: WHOLE_500, A: NO_LOAD, B: CRAWLER_500 },
    log: 'One error line, phase render.',
    tries: failNow('f1b'),
  },
  {
    id: 'f2',
    group: 'stream',
    status: 200,
    code: 'F2',
    title: 'A component inside Suspense throws after the shell',
    what: 'The component waits for a deferred promise, gets its value, and then throws, on both sides. By then, the status has been sent. The part is inside a FailureBoundary, so the rest of the page stays usable.',
    source: {
      file: 'pages/failures/f2/fail.tsx',
      code: `function Late({ late }: Pick<Data, 'late'>): ReactNode {\n  use(late)\n  throw new Error('…')\n}`,
    },
    sees: {
      J: '200, which was already sent. The sentence with the server’s digest replaces that part. The counter next to it still works.',
      N: NOSCRIPT,
      H: SAME_AS_N,
      A: JSON_200,
      B: CRAWLER_500,
    },
    log: 'One error line, phase stream, with statusSent: 200.',
    tries: failNow('f2'),
  },
  {
    id: 'f2b',
    group: 'stream',
    status: 200,
    code: 'F2b',
    title: 'A component inside Suspense throws after the shell, on the server only',
    what: 'React tries the part again in the browser, where it works.',
    source: {
      file: 'pages/failures/f2b/fail.tsx',
      code: `use(late)\nif (typeof window === 'undefined') throw new Error('…')\nreturn <p id="recovered">…</p>`,
    },
    sees: {
      J: 'The content, as if there had been no failure.',
      N: NOSCRIPT,
      H: SAME_AS_N,
      A: JSON_200,
      B: CRAWLER_500,
    },
    log: 'One error line, phase stream. It is a failure even though visitors with JavaScript do not notice it.',
    tries: failNow('f2b'),
  },
  {
    id: 'f2-shell',
    group: 'shell',
    status: 500,
    code: 'F2 in the shell',
    title: 'A component inside Suspense throws before the shell is sent',
    what: 'React would send the shell without that part. But the status has not been sent yet, so it is a 500.',
    source: {
      file: 'pages/failures/f2-shell/fail.tsx',
      code: `<Suspense fallback={<p>Waiting…</p>}>\n  <Broken />\n</Suspense>`,
    },
    sees: {
      J: '500. The server-side sentence with the digest.',
      N: '500. The sentence and the digest are at the end of the document, in <noscript>.',
      H: SAME_AS_N,
      A: NO_LOAD,
      B: CRAWLER_500,
    },
    log: 'One error line.',
    tries: failNow('f2-shell'),
  },
  {
    id: 'f3',
    group: 'load',
    status: 500,
    code: 'F3',
    title: 'The load of a page throws',
    what: 'The most common failure: a database is not reachable, or another service does not respond.',
    source: {
      file: 'pages/failures/f3/fail.server.ts',
      code: `export async function load(): Promise<{ name: string }> {\n  throw new Error('…')\n}`,
    },
    sees: { J: FALLBACK_500, N: WHOLE_500, H: WHOLE_500, A: PROBLEM_500, B: CRAWLER_500 },
    log: 'One error line, phase load.',
    tries: failNow('f3'),
  },
  {
    id: 'f3-layout',
    group: 'load',
    status: 500,
    code: 'F3 in a layout',
    title: 'The load of a layout throws',
    what: 'A layout cannot be shown without its data, so the fallback appears inside the layout above it.',
    source: {
      file: 'pages/failures/f3-layout/layout.server.ts',
      code: `export async function load(): Promise<{ name: string }> {\n  throw new Error('…')\n}`,
    },
    sees: {
      J: '500. The sentence with the digest replaces the layout that failed.',
      N: WHOLE_500,
      H: WHOLE_500,
      A: PROBLEM_500,
      B: CRAWLER_500,
    },
    log: 'One error line, phase load.',
    tries: failNow('f3-layout'),
  },
  {
    id: 'f4',
    group: 'stream',
    status: 200,
    code: 'F4',
    title: 'A deferred promise rejects',
    what: 'load has returned, and the shell has been sent. Then the promise in the data rejects.',
    source: {
      file: 'pages/failures/f4/fail.server.ts',
      code: `return { late: rejectLater(150, () => new Error('…')) }`,
    },
    sees: {
      J: '200, which was already sent. The sentence with the digest replaces that part. The log has the same digest.',
      N: NOSCRIPT,
      H: SAME_AS_N,
      A: PROBLEM_500,
      B: CRAWLER_500,
    },
    log: 'One error line, although both the data and the rendering fail.',
    tries: failNow('f4'),
  },
  {
    id: 'f5',
    group: 'load',
    status: 500,
    code: 'F5',
    title: 'An action throws',
    what: 'The page has a form, and its action throws.',
    source: {
      file: 'pages/failures/f5/fail.server.ts',
      code: `export function action(): { saved: boolean } {\n  throw new Error('…')\n}`,
    },
    sees: {
      J: 'The sentence with the digest replaces the page, without loading a document. Try again loads the page; it does not send the form again.',
      N: WHOLE_500,
      H: 'The page with its form. If you send the form, for example with curl -d "", 500 as for N.',
      A: '406 for the page, because it has no load. For a form 500, application/problem+json, with the digest.',
      B: 'The page with its form.',
    },
    log: 'One error line, phase action, when the form is sent.',
    tries: [{ href: href('/failures/f5/fail'), label: 'Go to the form' }],
  },
  {
    id: 'f6',
    group: 'beside',
    status: 500,
    code: 'F6',
    title: 'A route of server.ts throws',
    what: 'An ordinary Fastify route in addition to the pages. One address throws an Error, the other refuses with 403.',
    source: {
      file: 'server.ts',
      code: `app.get('/failures/f6/fail', async () => {\n  throw new Error('…')\n})\n\napp.get('/failures/f6/refuse', async () => {\n  throw new HttpError(403, 'Members only')\n})`,
    },
    sees: {
      J: '500, as a document with the sentence and the digest. The refusal: 403 and its own message.',
      N: 'The same.',
      H: '500, application/problem+json, because a route is not a page. With Accept: text/html the same as J.',
      A: '500, application/problem+json, with the digest. The refusal: 403 with its own message and no digest.',
      B: 'The same as J.',
    },
    log: 'One error line, phase route. For the refusal, one info line without a digest.',
    tries: [
      { href: href('/failures/f6/fail'), label: 'Fail now' },
      { href: href('/failures/f6/refuse'), label: 'Get a refusal' },
    ],
  },
  {
    id: 'f7',
    group: 'browser',
    status: 200,
    code: 'F7',
    title: 'A component throws in the browser',
    what: 'The page works until you press the button. Then a component throws while the browser renders it. The server is not involved.',
    source: {
      file: 'pages/failures/f7/fail.tsx',
      code: `if (isBroken) throw new Error('…')`,
    },
    sees: {
      J: 'The client-side sentence, without a digest. The error itself is in the browser’s console.',
      N: 'The page; its button does nothing.',
      H: 'The page.',
      A: NO_LOAD,
      B: 'The page.',
    },
    log: 'One error line, because the browser reports the failure: side “client”, with a digest and the line of pages/failures/f7/fail.tsx that throws.',
    tries: [{ href: href('/failures/f7/fail'), label: 'Go to the button' }],
  },
  {
    id: 'f8',
    group: 'browser',
    status: 200,
    code: 'F8',
    title: 'An event handler throws',
    what: 'A button’s handler throws. React does not render at that moment, so there is nothing for the sentence to replace.',
    source: {
      file: 'pages/failures/f8/fail.tsx',
      code: `function breakDown() {
  throw new TypeError('…')
}`,
    },
    sees: {
      J: 'The page, unchanged and working. The error is in the browser’s console.',
      N: 'The page; its button does nothing.',
      H: 'The page.',
      A: NO_LOAD,
      B: 'The page.',
    },
    log: 'One error line with side “client”, a digest and the function’s name, breakDown. The visitor sees nothing.',
    tries: [{ href: href('/failures/f8/fail'), label: 'Go to the button' }],
  },
  {
    id: 'f8b',
    group: 'browser',
    status: 200,
    code: 'F8b',
    title: 'An unhandled promise rejection',
    what: 'A button starts work that fails a moment later. No code waits for the promise, so no code catches the rejection.',
    source: {
      file: 'pages/failures/f8b/fail.tsx',
      code: `onClick={() => void breakLater()}`,
    },
    sees: {
      J: 'The page, unchanged and working. The error is in the browser’s console.',
      N: 'The page; its button does nothing.',
      H: 'The page.',
      A: NO_LOAD,
      B: 'The page.',
    },
    log: 'One error line with side “client”, a digest and the line that throws.',
    tries: [{ href: href('/failures/f8b/fail'), label: 'Go to the button' }],
  },
  {
    id: 'f9',
    group: 'browser',
    status: 200,
    code: 'F9',
    title: 'The browser renders something different from the server',
    what: 'A hydration mismatch: the server writes its time into the page, and the browser writes another time. React notices this and renders the page again.',
    source: {
      file: 'pages/failures/f9/fail.tsx',
      code: `<p>Rendered at {new Date().toISOString()}</p>`,
    },
    sees: {
      J: 'The page with the browser’s time, working. The console reports the mismatch.',
      N: 'The page with the server’s time.',
      H: SAME_AS_N,
      A: NO_LOAD,
      B: SAME_AS_N,
    },
    log: 'One error line with side “client” and isRecovered: React’s own error. Its stack names the component that did not match.',
    tries: [{ href: href('/failures/f9/fail'), label: 'Cause a mismatch' }],
  },
  {
    id: 'f11',
    group: 'browser',
    status: 200,
    code: 'F11',
    title: 'A lazily loaded script is missing',
    what: 'A part of the page has its own script, which is missing: the site was deployed while the page was open. The new build may have the part, so the browser loads the page again, once.',
    source: {
      file: 'pages/failures/f11/fail.tsx',
      code: `const Part = lazy(() => import('../../../components/later-part.tsx'))`,
    },
    sees: {
      J: 'The page as rendered by the server, while it is loaded a second time. If the script is still missing, as here, the part stays as the server has sent it, and the rest of the page works.',
      N: 'The page with the part, because the server has rendered it.',
      H: SAME_AS_N,
      A: NO_LOAD,
      B: SAME_AS_N,
    },
    log: 'After the second time, one error line with side “client”, which names the script.',
    tries: [{ href: '/failures/f11/fail', label: 'Request the missing script' }],
  },
  {
    id: 'f18',
    group: 'browser',
    status: 200,
    code: 'F18',
    title: 'The connection is cut in the middle of the page',
    what: 'The server sends the page and, four seconds later, closes the connection, although a part is missing. Browsers do not report this themselves.',
    source: {
      file: 'pages/failures/f18/fail.server.ts',
      code: `setTimeout(() => reply.raw.destroy(), 4_000)
return { late: waitForever() }`,
    },
    sees: {
      J: 'The page, with the client-side sentence in place of the missing part. It appears at once; in Chromium, it appears when nothing has arrived for timeouts.renderMs plus five seconds.',
      N: 'The page, with “Waiting for the rest…” forever.',
      H: 'The page up to the cut; curl reports the error.',
      A: 'No response: the connection is cut before the response begins.',
      B: 'No response, for the same reason.',
    },
    log: 'One info line when the connection closes, and one error line with side “client” when the browser has noticed.',
    tries: [{ href: '/failures/f18/fail', label: 'Cut the connection' }],
  },
  {
    id: 'f12',
    group: 'beside',
    status: 404,
    code: 'F12',
    title: 'There is no such page',
    what: 'Either no file matches the address, or load calls notFound(). Neither is a failure.',
    source: {
      file: 'pages/failures/f12/fail.server.ts',
      code: `export function load(): { name: string } {\n  notFound()\n}`,
    },
    sees: {
      J: '404. The site’s not-found page in its layout.',
      N: 'The same.',
      H: 'The same.',
      A: '404, application/problem+json, without a digest.',
      B: 'The same as J.',
    },
    log: 'One info line without a digest.',
    tries: [
      { href: href('/failures/f12/fail'), label: 'Call notFound()' },
      { href: href('/no-such-page'), label: 'Request an unknown address' },
    ],
  },
  {
    id: 'f13',
    group: 'load',
    status: 500,
    code: 'F13',
    title: 'The thrown value is not an Error',
    what: 'JavaScript can throw any value: a string, null, a Proxy whose traps all throw, an Error whose getters throw, ten megabytes of message, a cycle of causes. Each kind can be thrown by load, during rendering (?at=render), and by a deferred promise (?at=deferred).',
    source: {
      file: 'content/thrown.ts',
      code: `new Proxy({}, handlerWhoseEveryTrapThrows)`,
    },
    sees: {
      J: 'The same as in F3, F1 or F4. The digest is well formed, and nothing of the thrown value is shown.',
      N: 'The same as in F3, F1 or F4.',
      H: 'The same as in F3, F1 or F4.',
      A: 'The same as in F3, F1 or F4.',
      B: 'The same as in F3, F1 or F4.',
    },
    log: 'One error line that describes the thrown value, cut to a reasonable length.',
    tries: thrownKinds.flatMap((kind) => [{ href: href('/failures/f13/[kind]', { kind }), label: kind }]),
  },
  {
    id: 'f14',
    group: 'shell',
    status: 500,
    code: 'F14',
    title: 'The error page also fails',
    what: 'The page throws, and so does the error.tsx that should replace it.',
    source: {
      file: 'pages/failures/f14/error.tsx',
      code: `export default function ErrorPage(): ReactNode {\n  throw new Error('…')\n}`,
    },
    sees: {
      J: '500. The plain fallback with the digest of the first failure.',
      N: 'The same.',
      H: 'The same.',
      A: NO_LOAD,
      B: 'The same.',
    },
    log: 'Both failures are logged.',
    tries: failNow('f14'),
  },
  {
    id: 'f14-layout',
    group: 'shell',
    status: 500,
    code: 'F14 in a layout',
    title: 'A layout throws while it renders',
    what: 'The layout cannot wrap anything, not even an error page.',
    source: {
      file: 'pages/failures/f14-layout/layout.tsx',
      code: `export default function BrokenLayout(_: LayoutProps<'/failures/f14-layout'>): ReactNode {\n  throw new Error('…')\n}`,
    },
    sees: {
      J: '500. The sentence with the digest, inside the layout above.',
      N: 'The same.',
      H: 'The same.',
      A: NO_LOAD,
      B: 'The same.',
    },
    log: 'One error line, phase render.',
    tries: failNow('f14-layout'),
  },
  {
    id: 'f15',
    group: 'deadline',
    status: 504,
    code: 'F15',
    title: 'A load never ends',
    what: 'The deadline for loads expires. On this site it is 5 seconds.',
    source: {
      file: 'pages/failures/f15/fail.server.ts',
      code: `export async function load() {\n  return await waitForever()\n}`,
    },
    sees: {
      J: '504 after the deadline. The sentence with the digest.',
      N: 'The same.',
      H: 'The same.',
      A: '504, application/problem+json, with the digest.',
      B: 'The same as J.',
    },
    log: 'One error line, phase load, that names the pending load.',
    tries: failNow('f15'),
  },
  {
    id: 'f15-stream',
    group: 'deadline',
    status: 200,
    code: 'F15 after the shell',
    title: 'A component inside Suspense never ends',
    what: 'The shell has been sent, and one part of the page waits forever. The deadline for rendering expires. On this site it is 15 seconds.',
    source: {
      file: 'pages/failures/f15-stream/fail.tsx',
      code: `function Endless(): ReactNode {\n  return use(waitForever())\n}`,
    },
    sees: {
      J: '200, which was already sent. After the deadline, the sentence with the digest replaces that part. The counter next to it still works.',
      N: NOSCRIPT,
      H: SAME_AS_N,
      A: NO_LOAD,
      B: '504 with the sentence.',
    },
    log: 'One error line, phase stream, that names what was pending.',
    tries: failNow('f15-stream'),
  },
  {
    id: 'f15-shell',
    group: 'deadline',
    status: 504,
    code: 'F15 in the shell',
    title: 'A component outside Suspense never ends',
    what: 'The shell is never ready, so nothing has been sent when the deadline for rendering expires.',
    source: {
      file: 'pages/failures/f15-shell/fail.tsx',
      code: `function Endless(): ReactNode {\n  return use(waitForever())\n}`,
    },
    sees: {
      J: '504 after the deadline. The sentence with the digest.',
      N: 'The same.',
      H: 'The same.',
      A: NO_LOAD,
      B: 'The same.',
    },
    log: 'One error line, phase render, that names what was pending.',
    tries: failNow('f15-shell'),
  },
  {
    id: 'f15-deferred',
    group: 'deadline',
    status: 200,
    code: 'F15 deferred',
    title: 'A deferred promise never settles',
    what: 'The data contains a promise that never settles.',
    source: {
      file: 'pages/failures/f15-deferred/fail.server.ts',
      code: `export function load() {\n  return { late: waitForever() }\n}`,
    },
    sees: {
      J: '200, which was already sent. After the deadline, the sentence with the digest replaces that part.',
      N: NOSCRIPT,
      H: SAME_AS_N,
      A: '504, application/problem+json, with the digest.',
      B: '504 with the sentence.',
    },
    log: 'One error line that names what was pending.',
    tries: failNow('f15-deferred'),
  },
  {
    id: 'f16',
    group: 'deadline',
    status: 200,
    code: 'F16',
    title: 'The visitor leaves',
    what: 'A page of twenty parts, one every half second. If you close it before it is complete, the server stops at once. If you wait, it completes.',
    source: {
      file: 'pages/failures/f16/fail.server.ts',
      code: `signal.addEventListener('abort', () => request.log.debug('…'))`,
    },
    sees: {
      J: 'One part after the other.',
      N: 'The same; the browser moves each part into place.',
      H: 'The document grows. Stop curl with Ctrl+C.',
      A: 'All parts at once, after ten seconds.',
      B: 'The whole document, after ten seconds.',
    },
    log: 'One info line without a digest when the visitor leaves, and one line of load at level debug. Otherwise nothing.',
    tries: [{ href: href('/failures/f16/fail'), label: 'Open the slow page' }],
  },
  {
    id: 'own',
    group: 'beside',
    status: 500,
    code: 'error.tsx',
    title: 'Your own error page',
    what: 'This folder has an error.tsx that uses the props status, message, digest and retry. One page in it fails, the other refuses with 403.',
    source: {
      file: 'pages/failures/own/error.tsx',
      code: `export default function ErrorPage({ status, message, digest, retry }: ErrorPageProps) {`,
    },
    sees: {
      J: '500 and the folder’s own error page with the sentence and the digest. The refusal: 403 and its own message.',
      N: 'The same.',
      H: 'The same.',
      A: '500 or 403, application/problem+json. Only the 500 has a digest.',
      B: 'The same as J.',
    },
    log: 'One error line for the failure, one info line for the refusal.',
    tries: [
      { href: href('/failures/own/fail'), label: 'Fail now' },
      { href: href('/failures/own/refused'), label: 'Get a refusal' },
    ],
  },
]
