// The kinds of requests that visitors make, and the expected responses.

import {
  ask,
  DIGEST,
  failed,
  failing,
  fileArrived,
  HTML,
  JSON_ONLY,
  type Kind,
  leave,
  MULTIPART,
  navigation,
  page,
  pick,
  post,
  randomWord,
  report,
  SENTENCE,
  URLENCODED,
  withFile,
} from './requests.ts'

const TOO_MUCH = 1_200_000

const READING: readonly Kind[] = [
  ask('page', 15, { path: '/', headers: HTML }, page(200)),
  ask(
    'page, any query and client',
    5,
    () => ({ path: `/?${randomWord()}`, headers: { 'user-agent': randomWord() } }),
    page(200),
  ),
  ask('page of many rows', 10, { path: '/rows', headers: HTML }, page(200, 'Product number 99')),
  ask('stream', 10, { path: '/stream', headers: HTML }, page(200, 'Part 2 has come.')),
  ask(
    'stream, whole for a crawler',
    2,
    { path: '/stream', headers: { ...HTML, 'user-agent': 'Googlebot/2.1' } },
    page(200, 'Part 2 has come.'),
  ),
  ask(
    'data as JSON',
    8,
    { path: '/rows', headers: JSON_ONLY },
    { status: 200, holds: 'Product number 99', ends: ']}' },
  ),
  ask(
    'deferred data as JSON',
    2,
    { path: '/stream', headers: JSON_ONLY },
    { status: 200, holds: 'Part 2 has come.', ends: ']}' },
  ),
  ask('navigation', 8, ({ build }) => ({ path: '/rows?_hydrant', headers: navigation(build) }), {
    status: 200,
    holds: '["start"',
    ends: ']',
  }),
  ask('navigation that streams', 4, ({ build }) => ({ path: '/stream?_hydrant', headers: navigation(build) }), {
    status: 200,
    holds: 'Part 2 has come.',
    ends: ']',
  }),
  ask(
    'navigation of another build',
    1,
    { path: '/rows?_hydrant', headers: navigation('other') },
    { status: 200, ends: '["load"]' },
  ),
  ask('script', 5, ({ asset }) => ({ path: asset }), { status: 200, headers: { 'cache-control': /immutable/ } }),
  ask('file of public/', 2, { path: '/robots.txt' }, { status: 200, ends: 'crawled here.' }),
  ask('HEAD', 3, () => ({ method: 'HEAD', path: pick('/', '/stream', '/rows') }), { status: 200 }),
  ask('health', 1, { path: '/_hydrant/ready' }, { status: 200, ends: 'ready' }),
]

const WRITING: readonly Kind[] = [
  ask('form', 4, post('/form', URLENCODED, 'text=Some+words.'), page(200, '11 characters, 0 bytes')),
  ask('form as JSON', 2, post('/form', URLENCODED, 'text=words', 'application/json'), {
    status: 200,
    ends: '"fileBytes":0}',
  }),
  ask('form that redirects', 2, post('/form', URLENCODED, 'go=1'), { status: 303, headers: { location: /\/rows$/ } }),
  ask('form with a file', 3, withFile, fileArrived),
]

const FAILING: readonly Kind[] = failing([
  ask('load that fails', 3, { path: '/?fail=load', headers: HTML }, failed(500)),
  ask(
    'load that fails with its own message',
    0.2,
    () => ({ path: `/?fail=load&word=${randomWord()}`, headers: HTML }),
    failed(500),
  ),
  ask(
    'load that fails, as JSON',
    1,
    { path: '/?fail=load', headers: JSON_ONLY },
    { status: 500, holds: SENTENCE, headers: DIGEST, ends: '}' },
  ),
  ask(
    'load that fails, in a navigation',
    1,
    ({ build }) => ({ path: '/?fail=load&_hydrant', headers: navigation(build) }),
    { status: 200, holds: '["shown"', ends: ']' },
  ),
  ask('load that never ends', 0.5, { path: '/?fail=hang', headers: HTML }, failed(504)),
  ask('component that fails', 3, { path: '/?fail=render', headers: HTML }, failed(500)),
  ask('page with its own error page', 1, { path: '/own', headers: HTML }, page(500)),
  ask('stream that fails', 3, { path: '/stream?fail=stream', headers: HTML }, page(200, SENTENCE)),
  ask('stream past its deadline', 0.2, { path: '/stream?parts=2&every=4000', headers: HTML }, page(200, SENTENCE)),
  ask('action that fails', 2, post('/form?fail=action', URLENCODED, 'text=x'), failed(500)),
  ask('route that fails', 1, { path: '/soak/fail', headers: HTML }, { status: 500, holds: SENTENCE, headers: DIGEST }),
  ask(
    'report of a browser',
    2,
    ({ build, asset, port }) => ({
      ...post('/_hydrant/report', 'application/json', report(build, asset, port)),
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    }),
    { status: 204 },
  ),
])

const REFUSED: readonly Kind[] = [
  ask('unknown page', 3, () => ({ path: `/${randomWord()}`, headers: HTML }), page(404)),
  ask('unknown script', 1, () => ({ path: `/_hydrant/assets/${randomWord()}.js` }), {
    status: 404,
    ends: 'no such asset.',
  }),
  ask('page that refuses', 1, { path: '/?fail=refuse', headers: HTML }, page(403, 'Members only.')),
  ask('method without an action', 1, post('/rows', URLENCODED, 'a=1'), page(405, 'POST is not allowed here.')),
  ask(
    'form of another site',
    1,
    { ...withFile, body: '', headers: { 'sec-fetch-site': 'cross-site' } },
    { status: 403 },
  ),
  ask(
    'form that is too large',
    0.5,
    post('/form', URLENCODED, `text=${'x'.repeat(TOO_MUCH)}`),
    page(413, 'is larger than'),
  ),
  ask('malformed form', 1, post('/form', MULTIPART, 'no form'), page(400)),
  ask('URL that cannot be decoded', 1, { path: '/%E0%A4%A' }, { status: 400 }),
]

const PATIENCE_MS = 40
const briefly = () => Math.random() * PATIENCE_MS
const uponAnswer = () => null

const LEAVING: readonly Kind[] = [
  leave('leaves in the middle of a stream', 5, () => ({ path: '/stream?parts=10&every=100' }), uponAnswer),
  leave('leaves while a load runs', 2, () => ({ path: '/?fail=hang' }), briefly),
  leave('leaves at a random time', 3, () => ({ path: pick('/', '/rows', '/stream') }), briefly),
  leave('leaves in the middle of a page', 0.3, () => ({ path: '/large' }), uponAnswer),
  leave('leaves in the middle of a form', 2, () => ({ ...withFile, writing: { pieces: 20, pauseMs: 10 } }), briefly),
]

/** Requests of visitors with fast connections. */
export const QUICK: readonly Kind[] = [...READING, ...WRITING, ...FAILING, ...REFUSED, ...LEAVING]

/** Requests of visitors with slow connections. Each takes seconds. */
export const SLOW: readonly Kind[] = [
  ask('slow reader of a large page', 2, { path: '/large', headers: HTML, readPauseMs: 20 }, page(200)),
  ask(
    'slow reader of a stream',
    2,
    { path: '/stream?parts=20&every=100', headers: HTML, readPauseMs: 150 },
    page(200, 'Part 19 has come.'),
  ),
  ask('slow writer', 2, { ...withFile, writing: { pieces: 40, pauseMs: 50 } }, fileArrived),
  leave(
    'reader who stops',
    1,
    () => ({ path: '/large', readPauseMs: 60_000 }),
    () => 3_000,
  ),
  leave(
    'writer who stops',
    1,
    () => ({ ...withFile, writing: { pieces: 2, pauseMs: 2_000 } }),
    () => 3_000,
  ),
]
