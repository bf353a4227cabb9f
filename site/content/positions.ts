import { href, type RouteId } from 'hydrant/react'

/** A way to look at a page: with a browser, with and without JavaScript, or with a script. */
export interface Sights {
  /** Chromium with JavaScript. */
  J: string
  /** Chromium without. */
  N: string
  /** curl. */
  H: string
  /** A client that asks for JSON. */
  A: string
  /** A crawler. */
  B: string
}

export interface Group {
  id: 'load' | 'shell' | 'stream' | 'browser' | 'deadline' | 'beside'
  title: string
}

/** By the moment at which something fails, in the order in which a page comes to be. */
export const groups: readonly Group[] = [
  { id: 'load', title: 'While the data is loaded' },
  { id: 'shell', title: 'While the shell is rendered' },
  { id: 'stream', title: 'After the shell has been sent' },
  { id: 'browser', title: 'In the browser' },
  { id: 'deadline', title: 'When nothing comes, or nobody waits' },
  { id: 'beside', title: 'Beside the pages, and with pages of one’s own' },
]

export interface Position {
  /** In the address: `/failures/f2b`. */
  id: string
  group: Group['id']
  /** What a browser gets. */
  status: number
  code: string
  title: string
  /** What goes wrong, in a sentence or two. */
  what: string
  /** The lines that fail. */
  source: { file: string; code: string }
  sees: Sights
  log: string
  tries: readonly { href: string; label: string }[]
}

const SAME_AS_N = 'The same as N.'
const WHOLE_500 = '500. A whole document with the server-side sentence and the digest; it needs no script.'
const FALLBACK_500 =
  '500. The server-side sentence with the digest in the page’s place, inside the layouts, hydrated, with a Try again button.'
const CRAWLER_500 = '500 with the sentence: a crawler’s page is decided when all of it is ready.'
const NO_LOAD = '406: this page has no load, so it has no JSON, and is not rendered either.'
const PROBLEM_500 = '500, application/problem+json, with the digest that the log has.'
const JSON_200 = '200 and the data: load works, and the component is not rendered for JSON.'
const NOSCRIPT =
  '200, which was already sent. The sentence and the digest stand at the end of the document, in <noscript>.'

type FailingId<Route> = Route extends `/failures/${infer Id}/fail` ? Id : never

function failNow(id: FailingId<RouteId>): Position['tries'] {
  return [{ href: href(`/failures/${id}/fail`), label: 'Fail now' }]
}

/** The kinds of things that `/failures/f13/[kind]` throws. */
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
    what: 'It would throw in the browser as well. Nothing has been sent yet, so the status can still be true.',
    source: {
      file: 'pages/failures/f1/fail.tsx',
      code: `function Broken(): ReactNode {\n  throw new Error('…')\n}`,
    },
    sees: { J: FALLBACK_500, N: WHOLE_500, H: WHOLE_500, A: NO_LOAD, B: CRAWLER_500 },
    log: 'One error line, phase render, with that digest. The first frame of its stack is fail.tsx and its line.',
    tries: failNow('f1'),
  },
  {
    id: 'f1b',
    group: 'shell',
    status: 500,
    code: 'F1b',
    title: 'A component throws while the shell renders, on the server only',
    what: 'The browser could render it, but the server has decided: the status is 500, and the browser hydrates the fallback rather than a page that pretends to be well.',
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
    what: 'The component waits for a deferred promise, gets it, and then throws, on both sides. By then the status has been sent. The part stands in a FailureBoundary, so the rest of the page stays usable.',
    source: {
      file: 'pages/failures/f2/fail.tsx',
      code: `function Late({ late }: Pick<Data, 'late'>): ReactNode {\n  use(late)\n  throw new Error('…')\n}`,
    },
    sees: {
      J: '200, which was already sent. The sentence with the server’s digest in the place of that part; the counter beside it still counts.',
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
      J: 'The content, as if nothing had happened.',
      N: NOSCRIPT,
      H: SAME_AS_N,
      A: JSON_200,
      B: CRAWLER_500,
    },
    log: 'One error line, phase stream. The failure is a failure although one visitor did not notice.',
    tries: failNow('f2b'),
  },
  {
    id: 'f2-shell',
    group: 'shell',
    status: 500,
    code: 'F2 in the shell',
    title: 'A component inside Suspense throws before the shell is sent',
    what: 'React would send the shell with a hole in it. The status has not been sent, though, so it is a 500.',
    source: {
      file: 'pages/failures/f2-shell/fail.tsx',
      code: `<Suspense fallback={<p>Waiting…</p>}>\n  <Broken />\n</Suspense>`,
    },
    sees: {
      J: '500. The server-side sentence with the digest.',
      N: '500. The sentence and the digest stand at the end of the document, in <noscript>.',
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
    what: 'The most common failure: a database is gone, another service does not answer.',
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
    what: 'A layout without its data cannot be shown, so the fallback stands inside the layout above it.',
    source: {
      file: 'pages/failures/f3-layout/layout.server.ts',
      code: `export async function load(): Promise<{ name: string }> {\n  throw new Error('…')\n}`,
    },
    sees: {
      J: '500. The sentence with the digest, in the place of the layout that failed.',
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
    what: 'load has returned, the shell has been sent, and then the promise in the data rejects.',
    source: {
      file: 'pages/failures/f4/fail.server.ts',
      code: `return { late: rejectLater(150, () => new Error('…')) }`,
    },
    sees: {
      J: '200, which was already sent. The sentence in the place of that part, with the digest that the log has.',
      N: NOSCRIPT,
      H: SAME_AS_N,
      A: PROBLEM_500,
      B: CRAWLER_500,
    },
    log: 'One error line and not two, although both the data and the rendering fail by it.',
    tries: failNow('f4'),
  },
  {
    id: 'f5',
    group: 'load',
    status: 500,
    code: 'F5',
    title: 'An action throws',
    what: 'The page has a form, and what should answer it throws.',
    source: {
      file: 'pages/failures/f5/fail.server.ts',
      code: `export function action(): { saved: boolean } {\n  throw new Error('…')\n}`,
    },
    sees: {
      J: 'The sentence with the digest in the page’s place, without a document being loaded. Try again asks for the page; nothing is sent again.',
      N: WHOLE_500,
      H: 'The page with its form. A form that is sent, as with curl -d "", gets 500 like N.',
      A: '406 for the page, as it has no load. For what is sent 500, application/problem+json, with the digest.',
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
    what: 'An ordinary Fastify route beside the pages. One address throws an Error, the other refuses with 403 on purpose.',
    source: {
      file: 'server.ts',
      code: `app.get('/failures/f6/fail', async () => {\n  throw new Error('…')\n})\n\napp.get('/failures/f6/refuse', async () => {\n  throw new HttpError(403, 'Members only')\n})`,
    },
    sees: {
      J: '500, as a document with the sentence and the digest. The refusal: 403 and its own message.',
      N: 'The same.',
      H: '500, application/problem+json, as a route is no page; with Accept: text/html the same as J.',
      A: '500, application/problem+json, with the digest. The refusal: 403 with its own message and no digest.',
      B: 'The same as J.',
    },
    log: 'One error line, phase route; for the refusal one info line without a digest.',
    tries: [
      { href: href('/failures/f6/fail'), label: 'Fail now' },
      { href: href('/failures/f6/refuse'), label: 'Be refused' },
    ],
  },
  {
    id: 'f7',
    group: 'browser',
    status: 200,
    code: 'F7',
    title: 'A component throws in the browser',
    what: 'The page is well until a button is pressed; then a component throws while it renders. The server knows nothing of it.',
    source: {
      file: 'pages/failures/f7/fail.tsx',
      code: `if (isBroken) throw new Error('…')`,
    },
    sees: {
      J: 'The client-side sentence, without a digest, and the error itself in the browser’s console.',
      N: 'The page; its button does nothing.',
      H: 'The page.',
      A: NO_LOAD,
      B: 'The page.',
    },
    log: 'One error line, which the browser has asked for: side “client”, with a digest and the line of pages/failures/f7/fail.tsx that throws.',
    tries: [{ href: href('/failures/f7/fail'), label: 'Go to the button' }],
  },
  {
    id: 'f8',
    group: 'browser',
    status: 200,
    code: 'F8',
    title: 'An event handler throws',
    what: 'A button’s handler throws. React renders nothing then, so there is nothing to put a sentence in the place of.',
    source: {
      file: 'pages/failures/f8/fail.tsx',
      code: `function breakDown() {
  throw new TypeError('…')
}`,
    },
    sees: {
      J: 'The page, unchanged, and it works. The error is in the browser’s console.',
      N: 'The page; its button does nothing.',
      H: 'The page.',
      A: NO_LOAD,
      B: 'The page.',
    },
    log: 'One error line with side “client”, a digest and the function’s name, breakDown, though no visitor is told.',
    tries: [{ href: href('/failures/f8/fail'), label: 'Go to the button' }],
  },
  {
    id: 'f8b',
    group: 'browser',
    status: 200,
    code: 'F8b',
    title: 'A promise is rejected and nobody looks',
    what: 'A button begins something that fails a moment later. Nobody waits for the promise, so nobody catches what it is rejected with.',
    source: {
      file: 'pages/failures/f8b/fail.tsx',
      code: `onClick={() => void breakLater()}`,
    },
    sees: {
      J: 'The page, unchanged, and it works. The error is in the browser’s console.',
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
    title: 'The browser renders something else than the server',
    what: 'A hydration mismatch: the server writes its time into the page, the browser its own. React notices and renders the page anew.',
    source: {
      file: 'pages/failures/f9/fail.tsx',
      code: `<p>Rendered at {new Date().toISOString()}</p>`,
    },
    sees: {
      J: 'The page with the browser’s time, and it works. The console tells of the mismatch.',
      N: 'The page with the server’s time.',
      H: SAME_AS_N,
      A: NO_LOAD,
      B: SAME_AS_N,
    },
    log: 'One error line with side “client” and isRecovered: React’s own error, and in its stack the component that did not fit.',
    tries: [{ href: href('/failures/f9/fail'), label: 'Mismatch now' }],
  },
  {
    id: 'f11',
    group: 'browser',
    status: 200,
    code: 'F11',
    title: 'A lazily loaded script is missing',
    what: 'A part of the page is loaded by a script of its own, and that is not there: the site was deployed while the page was open. The page of the new build may have the part, so the browser loads it again, once.',
    source: {
      file: 'pages/failures/f11/fail.tsx',
      code: `const Part = lazy(() => import('../../../components/later-part.tsx'))`,
    },
    sees: {
      J: 'The page as the server has rendered it, while it is loaded a second time. Where that does not help, as here, the client-side sentence in the page’s place.',
      N: 'The page, with the part: the server has rendered it.',
      H: SAME_AS_N,
      A: NO_LOAD,
      B: SAME_AS_N,
    },
    log: 'After the second time one error line with side “client”, which names the script and the component that needs it.',
    tries: [{ href: '/failures/f11/fail', label: 'Miss it now' }],
  },
  {
    id: 'f18',
    group: 'browser',
    status: 200,
    code: 'F18',
    title: 'The connection is cut in the middle',
    what: 'The server sends the page and, a second later, closes the connection, though a part is still to come. Browsers say nothing of it by themselves.',
    source: {
      file: 'pages/failures/f18/fail.server.ts',
      code: `setTimeout(() => reply.raw.destroy(), 1_000)
return { late: waitForever() }`,
    },
    sees: {
      J: 'The page, and in the place of what was still to come the client-side sentence: at once, or in Chromium when nothing has come for timeouts.renderMs and five seconds.',
      N: 'The page, with “Waiting for the rest…” for ever.',
      H: 'The page up to where it was cut; curl says so.',
      A: 'Nothing: the answer is cut before it has begun.',
      B: 'Nothing, for the same reason.',
    },
    log: 'One info line when the connection closes, and one error line with side “client” when the browser has noticed.',
    tries: [{ href: '/failures/f18/fail', label: 'Be cut off now' }],
  },
  {
    id: 'f12',
    group: 'beside',
    status: 404,
    code: 'F12',
    title: 'There is no such page',
    what: 'Either no file answers the address, or load calls notFound(). Neither is a failure.',
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
      { href: href('/no-such-page'), label: 'Ask for an unknown address' },
    ],
  },
  {
    id: 'f13',
    group: 'load',
    status: 500,
    code: 'F13',
    title: 'What is thrown is no Error',
    what: 'JavaScript throws anything: a string, null, a Proxy whose every trap throws, an Error whose getters throw, ten megabytes of message, a cycle of causes. Each kind can be thrown by load, while rendering (?at=render) and by a deferred promise (?at=deferred).',
    source: {
      file: 'content/thrown.ts',
      code: `new Proxy({}, handlerWhoseEveryTrapThrows)`,
    },
    sees: {
      J: 'What its position says (F3, F1 or F4); the digest is well formed, and nothing of what was thrown is shown.',
      N: 'The same as there.',
      H: 'The same as there.',
      A: 'The same as there.',
      B: 'The same as there.',
    },
    log: 'One error line that says what was thrown, cut to size.',
    tries: thrownKinds.flatMap((kind) => [{ href: href('/failures/f13/[kind]', { kind }), label: kind }]),
  },
  {
    id: 'f14',
    group: 'shell',
    status: 500,
    code: 'F14',
    title: 'The failure page fails, too',
    what: 'The page throws, and so does the error.tsx that should show it.',
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
    what: 'The layout cannot surround anything, not even a failure page.',
    source: {
      file: 'pages/failures/f14-layout/layout.tsx',
      code: `export default function BrokenLayout(_: LayoutProps): ReactNode {\n  throw new Error('…')\n}`,
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
    what: 'The deadline for loads decides. On this site it is 5 seconds.',
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
    log: 'One error line, phase load, that names what was pending.',
    tries: failNow('f15'),
  },
  {
    id: 'f15-stream',
    group: 'deadline',
    status: 200,
    code: 'F15 after the shell',
    title: 'A component inside Suspense never ends',
    what: 'The shell has been sent; one part of the page waits for ever. The deadline for rendering decides. On this site it is 15 seconds.',
    source: {
      file: 'pages/failures/f15-stream/fail.tsx',
      code: `function Endless(): ReactNode {\n  return use(waitForever())\n}`,
    },
    sees: {
      J: '200, which was already sent. After the deadline the sentence with the digest stands in the place of that part; the counter beside it still counts.',
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
    title: 'A component outside of Suspense never ends',
    what: 'The shell is never ready, so nothing has been sent when the deadline for rendering passes.',
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
    what: 'The data has a promise in it that nobody keeps.',
    source: {
      file: 'pages/failures/f15-deferred/fail.server.ts',
      code: `export function load() {\n  return { late: waitForever() }\n}`,
    },
    sees: {
      J: '200, which was already sent. After the deadline the sentence with the digest stands in the place of that part.',
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
    title: 'The visitor goes away',
    what: 'A page of twenty parts, one each half second. Close it before it is complete: the server stops at once. Wait, and it completes.',
    source: {
      file: 'pages/failures/f16/fail.server.ts',
      code: `signal.addEventListener('abort', () => request.log.debug('…'))`,
    },
    sees: {
      J: 'Part after part.',
      N: 'The same; the browser moves each part into place.',
      H: 'The document grows. Stop curl with Ctrl+C.',
      A: 'All parts at once, after ten seconds.',
      B: 'The whole document, after ten seconds.',
    },
    log: 'One info line without a digest when the visitor has gone, and, at level debug, one from load. Otherwise nothing.',
    tries: [{ href: href('/failures/f16/fail'), label: 'Begin the slow page' }],
  },
  {
    id: 'own',
    group: 'beside',
    status: 500,
    code: 'error.tsx',
    title: 'A failure page of the site’s own',
    what: 'This folder has an error.tsx that uses every prop: status, message, digest and retry. One page in it fails, the other refuses with 403.',
    source: {
      file: 'pages/failures/own/error.tsx',
      code: `export default function ErrorPage({ status, message, digest, retry }: ErrorPageProps) {`,
    },
    sees: {
      J: '500 and the folder’s own page with the sentence and the digest. The refusal: 403 and its own message.',
      N: 'The same.',
      H: 'The same.',
      A: '500 or 403, application/problem+json; the digest is in the first only.',
      B: 'The same as J.',
    },
    log: 'One error line for the failure, one info line for the refusal.',
    tries: [
      { href: href('/failures/own/fail'), label: 'Fail now' },
      { href: href('/failures/own/refused'), label: 'Be refused' },
    ],
  },
]
