/// <reference lib="dom" />

// For every outcome of an action, a visitor with JavaScript reads the same as one without, and the log has the same
// failure.

import t from 'tap'
import { ERROR } from '../site-server.ts'
import { until } from '../until.ts'
import type { OpenPage } from './chromium.ts'
import { startInPlace } from './in-place-site.ts'

/** The code of the action, by outcome. */
const ENDS: Record<string, string> = {
  data: "return { a: 'returned' }",
  nothing: 'return',
  status: "reply.code(422); return { a: 'refused' }",
  error: "throw new Error('SECRET-MARKER')",
  text: "throw 'SECRET-MARKER'",
  null: 'throw null',
  undefined: 'throw undefined',
  symbol: "throw Symbol('SECRET-MARKER')",
  object: "throw { digest: 'AAAAAAAA-BBBBBB' }",
  frozen: "throw Object.freeze(new Error('SECRET-MARKER'))",
  proxy: 'throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })',
  getters: "throw Object.defineProperty(new Error(''), 'message', { get() { throw 1 } })",
  rejected: "return Promise.reject(new Error('SECRET-MARKER'))",
  'never-ends': 'await new Promise(() => {})',
  'outside-path': "redirect('//evil.example')",
  'outside-backslash': "redirect('/\\\\evil.example')",
  'outside-text': "redirect('https://evil.example/')",
  'outside-script': "redirect('javascript:alert(1)')",
  'outside-file': "redirect(new URL('file:///etc/passwd'))",
  'no-address': "redirect('http://[')",
  'no-text': 'redirect(undefined)',
  'no-redirect': "redirect('/target', 200)",
  refusal: "throw new HttpError(403, 'Not for <b>you</b>.')",
  'refusal-own': "throw Object.assign(new Error('Too many'), { statusCode: 429 })",
  'refusal-wrong': "throw new HttpError(500, 'no refusal')",
  'failure-status': "throw Object.assign(new Error('SECRET-MARKER'), { statusCode: 503 })",
  'not-found': 'notFound()',
  'not-found-said': "throw new HttpError(404, 'No such thing')",
  function: 'return { a: () => 1 }',
  promise: 'return { a: Promise.resolve(1) }',
  instance: 'return { a: new (class Own {})() }',
  'load-fails': "return { fails: 'load' }",
  'load-refuses': "return { fails: 'refusal' }",
  'load-redirects': "return { fails: 'redirect' }",
  'load-redirects-outside': "return { fails: 'outside' }",
  'layout-fails': "return { fails: 'layout' }",
  'layout-fails-too': "request.fails = 'layout'; throw new Error('SECRET-MARKER')",
  'redirect-here': "redirect('/ends')",
  'redirect-to-failure': "redirect('/fails')",
  'redirect-to-nowhere': "redirect('/nowhere')",
  'redirect-to-route': "redirect('/page.html')",
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].flatMap((status) => [
      [`redirect-${status}`, `redirect('/sent-on?q=1', ${status})`],
      [`reply-redirect-${status}`, `return reply.redirect('/sent-on?q=1', ${status})`],
    ]),
  ),
  'redirect-307-twice': "redirect('/again', 307)",
  'redirect-307-elsewhere': "redirect(new URL('http://localhost:' + url.port + '/elsewhere'), 307)",
}

/** The target of the form, if it is not that action. */
const TARGETS: Record<string, string> = {
  'no-page': '/nowhere',
  'no-action': '/target',
  'hook-fails': '/guarded?fails',
  'hook-refuses': '/guarded',
  'hook-redirects': '/guarded?redirect',
  'hook-redirects-outside': '/guarded?outside',
  'hook-redirects-307': '/guarded?307',
  'bad-code': '/ends/%zz',
}

/** Failures of these lead to a line of the site. */
const LINES = ['error', 'rejected', 'refusal-wrong', 'no-redirect', 'no-text', 'no-address', 'outside-']

const button = (name: string, target = '') =>
  `<button id="${name}" name="how" value="${name}"${target && ` formAction="${target}"`}>${name}</button>`

const { open, reopen, openPlain, site, origin } = await startInPlace(
  t,
  {
    'pages/ends.tsx': `export default function Ends({ actionData }) {
  return <>
    <form method="post">${Object.keys(ENDS)
      .map((name) => button(name))
      .join('')}
    ${Object.entries(TARGETS)
      .map(([name, target]) => button(name, target))
      .join('')}</form>
    <form method="post"><input type="hidden" name="how" defaultValue={'x'.repeat(20000)} /><button id="too-large">too large</button></form>
    <p id="data">{JSON.stringify(actionData) ?? 'none'}</p>
  </>
}
`,
    'pages/ends.server.ts': `import { HttpError, notFound, redirect } from 'hydrant'
export async function load({ request }) {
  if (request.fails === 'load') throw new Error('SECRET-MARKER of the load')
  if (request.fails === 'refusal') throw new HttpError(403, 'Refused by the load')
  if (request.fails === 'redirect') redirect('/sent-on')
  if (request.fails === 'outside') redirect('//evil.example')
}
export async function action(context) {
  const result = await end(context)
  context.request.fails = result?.fails
  return result
}
async function end({ form, reply, request, url }) {
  switch (form.get('how')) {
${Object.entries(ENDS)
  .map(
    ([name, code]) =>
      `    case '${name}': ${code.startsWith('return') || code.startsWith('throw') || code.startsWith('redirect') || code.startsWith('notFound') ? code : `${code}; return`}`,
  )
  .join('\n')}
  }
}
`,
    'pages/layout.server.ts': `export const load = ({ app, request }) => {
  if (request.fails === 'layout') throw new Error('SECRET-MARKER of the layout')
  return { count: 0 }
}
`,
    'pages/sent-on.tsx': 'export default ({ actionData, url }) => <p>Sent on {url.search} {actionData}</p>\n',
    'pages/sent-on.server.ts': "export const action = async ({ form }) => 'with ' + form.get('how')\n",
    'pages/again.tsx': 'export default () => <p>again</p>\n',
    'pages/again.server.ts':
      "import { redirect } from 'hydrant'\nexport const action = () => redirect('/sent-on', 308)\n",
    'pages/fails.tsx': 'export default () => <p>never</p>\n',
    'pages/fails.server.ts': "export const load = () => { throw new Error('SECRET-MARKER') }\n",
  },
  { HYDRANT_TIMEOUTS_LOAD_MS: '1500', HYDRANT_BODY_LIMIT: '10000' },
)

const plain = await openPlain(t)
const opened = await open(t, '/ends')

/** Returns the URL and the text of the page, with the first half of the digest. */
async function see({ page, evaluate }: OpenPage) {
  const text = await evaluate(() => {
    // The announcer repeats the name of the page for screen readers.
    document.querySelector('.hydrant-announcer')?.remove()
    return (document.querySelector('main') ?? document.body).innerText
  }, null)
  const { host, pathname, search } = new URL(page.url())
  return `${host}${pathname}${search} ${text.replace(/(Digest: \w{8})-\w{6}/, '$1')}`
}

for (const name of [...Object.keys(ENDS), ...Object.keys(TARGETS)]) {
  t.test(`shown with JavaScript as without: ${name}`, async (t) => {
    await plain.goto(`${origin}/ends`, 'load')
    const lines = site.lines.length
    await Promise.all([plain.page.waitForEvent('load'), plain.click(`#${name}`)])
    const expected = await see(plain)
    await reopen(opened, '/ends')
    const answered = opened.page.waitForResponse((response) => response.request().method() === 'POST')
    await Promise.all([answered, opened.click(`#${name}`)])
    let seen = ''
    const endsAt = Date.now() + 30_000
    await until(async () => {
      // A document may be loading meanwhile.
      seen = await see(opened).catch(() => '')
      return seen === expected || Date.now() > endsAt
    })
    t.equal(seen, expected)
    if (!expected.includes('Digest: ')) return
    t.notMatch(seen, 'SECRET-MARKER')
    const errorsOf = () => site.lines.slice(lines).filter(({ level }) => level >= ERROR)
    // A request can have two failures.
    const ofSecond = (errors: typeof site.lines) => errors.find(({ reqId }) => reqId !== errors[0]?.reqId)
    await until(() => ofSecond(errorsOf()) !== undefined)
    const errors = errorsOf()
    t.equal(errors[0]?.digest?.slice(0, 8), ofSecond(errors)?.digest?.slice(0, 8))
    if (LINES.some((start) => name.startsWith(start)))
      t.match(errors[0]?.err?.stack, /\n {4}at [^\n]*pages\/ends\.server\.ts:\d+/)
  })
}

t.test('a body that is too large has the refusal that it has without JavaScript, before its form', async (t) => {
  await plain.goto(`${origin}/ends`, 'load')
  await Promise.all([plain.page.waitForEvent('load'), plain.click('#too-large')])
  const refusal = await plain.read('[role=alert] p')
  t.match(refusal, '413')
  await reopen(opened, '/ends')
  await opened.click('#too-large')
  await opened.shown('[role=alert]')
  t.equal(await opened.read('[role=alert] p'), refusal)
  const length = () =>
    opened.evaluate(() => {
      const form = document.querySelector('[role=alert]')?.nextElementSibling
      return form?.querySelector<HTMLInputElement>('[name=how]')?.value.length
    }, null)
  t.equal(await length(), 20_000)
})
