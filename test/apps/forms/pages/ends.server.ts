import { type ActionContext, HttpError, type LoadContext, notFound, redirect } from 'hydrant'
import { textOf } from '../done.ts'

/** What the action does, by the name of the button. */
const ENDS: Record<string, (context: ActionContext) => unknown> = {
  data: () => ({ a: 'returned' }),
  nothing: () => undefined,
  status({ reply }) {
    reply.code(422)
    return { a: 'refused' }
  },
  error: () => fail(new Error('SECRET-MARKER')),
  text: () => fail('SECRET-MARKER'),
  null: () => fail(null),
  undefined: () => fail(undefined),
  symbol: () => fail(Symbol('SECRET-MARKER')),
  object: () => fail({ digest: 'AAAAAAAA-BBBBBB' }),
  frozen: () => fail(Object.freeze(new Error('SECRET-MARKER'))),
  proxy: () => fail(new Proxy({}, { get: () => fail(1), getPrototypeOf: () => fail(2) })),
  getters: () => fail(Object.defineProperty(new Error(''), 'message', { get: () => fail(1) })),
  rejected: () => Promise.reject(new Error('SECRET-MARKER')),
  'never-ends': () => new Promise(() => {}),
  'outside-path': () => redirect('//evil.example'),
  'outside-backslash': () => redirect('/\\evil.example'),
  'outside-text': () => redirect('https://evil.example/'),
  'outside-script': () => redirect('javascript:alert(1)'),
  'outside-file': () => redirect(new URL('file:///etc/passwd')),
  'no-address': () => redirect('http://['),
  // @ts-expect-error: as in a site in JavaScript
  'no-text': () => redirect(undefined),
  // @ts-expect-error: as in a site in JavaScript
  'no-redirect': () => redirect('/target', 200),
  refusal: () => fail(new HttpError(403, 'Not for <b>you</b>.')),
  'refusal-own': () => fail(Object.assign(new Error('Too many'), { statusCode: 429 })),
  'refusal-wrong': () => fail(new HttpError(500, 'no refusal')),
  'failure-status': () => fail(Object.assign(new Error('SECRET-MARKER'), { statusCode: 503 })),
  'not-found': () => notFound(),
  'not-found-said': () => fail(new HttpError(404, 'No such thing')),
  function: () => ({ a: () => 1 }),
  promise: () => ({ a: Promise.resolve(1) }),
  instance: () => ({ a: new (class Own {})() }),
  'load-fails': failBehind('load'),
  'load-refuses': failBehind('refusal'),
  'load-redirects': failBehind('redirect'),
  'load-redirects-outside': failBehind('outside'),
  'layout-fails': failBehind('layout'),
  'layout-fails-too'({ request }) {
    request.fails = 'layout'
    throw new Error('SECRET-MARKER')
  },
  'redirect-here': () => redirect('/ends'),
  'redirect-to-failure': () => redirect('/fails'),
  'redirect-to-nowhere': () => redirect('/nowhere'),
  'redirect-to-route': () => redirect('/page.html'),
  'redirect-307-twice': () => redirect('/again', 307),
  'redirect-307-elsewhere': ({ url }) => redirect(new URL(`http://localhost:${url.port}/elsewhere`), 307),
}

for (const status of [301, 302, 303, 307, 308] as const) {
  ENDS[`redirect-${status}`] = () => redirect('/sent-on?q=1', status)
  ENDS[`reply-redirect-${status}`] = ({ reply }) => reply.redirect('/sent-on?q=1', status)
}

export async function load({ request }: LoadContext<'/ends'>) {
  if (request.fails === 'load') throw new Error('SECRET-MARKER of the load')
  if (request.fails === 'refusal') throw new HttpError(403, 'Refused by the load')
  if (request.fails === 'redirect') redirect('/sent-on')
  if (request.fails === 'outside') redirect('//evil.example')
  return Object.keys(ENDS)
}

export async function action(context: ActionContext) {
  return await ENDS[textOf(context.form, 'how') ?? '']?.(context)
}

function failBehind(fails: string) {
  return ({ request }: ActionContext) => {
    request.fails = fails
    return { fails }
  }
}

function fail(value: unknown): never {
  throw value
}
