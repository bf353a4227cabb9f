// Pages with the export `actions`: a form selects one of them by its address.

import t from 'tap'
import { z } from 'zod'
import { type ActionContext, HttpError, redirect } from '../../../src/server/index.ts'
import type { ErrorPageProps, PageProps } from '../../../src/shared/react.ts'
import { navigationHeaders, testSite } from '../../test-site.ts'
import { linesOfResponse, marked, pick } from '../lines.ts'
import { HTML, JSON_ONLY } from '../served.ts'

type Result = { data: unknown; invalid: unknown; fields?: Record<string, { name: string; errorId: string }> }

const Component = ({ data, url, search, actionData, invalid, actions }: PageProps) => {
  // Without a route, the type of the prop is unknown.
  const of = actions as Record<string, Result>
  return (
    <p>
      {JSON.stringify({ data, search, href: url.href, actionData, invalid, of, id: of.comment?.fields?.text?.errorId })}
    </p>
  )
}

const runs: string[] = []
const comment = z.object({ text: z.string().min(2, 'Too short'), email: z.email('Not an address') })

const actions = {
  comment: {
    form: comment,
    action({ input, search }: ActionContext<never, typeof comment>) {
      runs.push(`comment ${input.text}`)
      return { text: input.text, search }
    },
  },
  favourite({ form, request, url }: ActionContext) {
    runs.push('favourite')
    if (form.has('leave')) redirect('/other')
    return { body: request.body instanceof FormData ? 'form' : request.body, href: url.href }
  },
  'mark-read'() {},
}

const site = {
  '/error': ({ status, message }: ErrorPageProps) => (
    <p>
      {status}|{message}
    </p>
  ),
  '/a/[slug]': {
    Component,
    actions,
    params: z.strictObject({ slug: z.string() }),
    search: z.strictObject({ page: z.coerce.number().default(1) }),
    load: ({ url }: { url: URL }) => url.search,
  },
  '/stored': { Component, actions, cache: { maxAgeS: 60 }, load: () => runs.length },
  '/guarded': {
    Component,
    actions,
    guard() {
      throw new HttpError(401, 'Sign in.')
    },
  },
  '/single': { Component, action: ({ url }: ActionContext) => url.search },
}

const { app, get } = await testSite(t, site)
const ENCODED = { 'content-type': 'application/x-www-form-urlencoded' }
const good = 'text=Hello&email=ada@example.org'

function post(url: string, payload: string | object = '', headers: Record<string, string> = HTML) {
  const all = typeof payload === 'string' ? { ...ENCODED, ...headers } : headers
  return app.inject({ method: 'POST', url, payload, headers: all })
}

/** Returns what the page shows. */
function shown({ body }: { body: string }) {
  const text = /<p>(\{.*\})<\/p>/.exec(body)?.[1]?.replaceAll('&quot;', '"').replaceAll('&amp;', '&') ?? '{}'
  return JSON.parse(text)
}

t.test('the address of a form selects its action', async (t) => {
  const commented = await post('/a/x?/comment', good)
  t.equal(commented.statusCode, 200)
  t.match(shown(commented), {
    of: { comment: { data: { text: 'Hello', search: { page: 1 } } }, favourite: {}, 'mark-read': {} },
    search: { page: 1 },
    data: '',
    href: 'http://localhost/a/x',
    id: 'comment-text-error',
  })
  t.notHas(shown(commented).of.favourite, { data: {} })
  t.notHas(shown(commented), { actionData: {} })
  const favourite = await post('/a/x?/favourite&page=2')
  t.match(shown(favourite), {
    of: { favourite: { data: { body: 'form', href: 'http://localhost/a/x?page=2' } } },
    data: '?page=2',
    search: { page: 2 },
  })
  for (const url of ['?page=2&/favourite', '?%2Ffavourite=&page=2', '?page=2&/favourite='])
    t.equal(shown(await post(`/a/x${url}`)).data, '?page=2', url)
  const moved = await post('/a/x?/favourite', 'leave=1')
  t.match([moved.statusCode, moved.headers.location], [303, '/other'])
  t.equal((await post('/a/x?/mark-read', '', JSON_ONLY)).statusCode, 204)
  t.equal((await app.inject({ method: 'DELETE', url: '/a/x?/mark-read', headers: JSON_ONLY })).statusCode, 204)
})

t.test('a refused form is that of its action only', async (t) => {
  const before = runs.length
  const refused = await post('/a/x?/comment', 'text=H&email=ada@example.org')
  t.equal(refused.statusCode, 422)
  t.equal(refused.headers['cache-control'], 'no-store')
  const page = shown(refused)
  t.match(page.of.comment.invalid, { issues: { text: ['Too short'] }, values: { email: 'ada@example.org' } })
  t.strictSame(page.of.favourite, {})
  t.notHas(page, { invalid: {} })
  t.equal(page.href, 'http://localhost/a/x')
  t.equal(runs.length, before, 'no action has run')
  const again = await get('/a/x?/comment')
  t.equal(again.statusCode, 200, 'a reload shows the page')
  t.match(shown(again), { data: '', href: 'http://localhost/a/x', of: { comment: {} } })
  t.equal((await get('/a/x?/nothing')).statusCode, 200)
})

t.test('JSON clients send bodies and get the result of the action', async (t) => {
  const sent = await post('/a/x?/comment', { text: 'Hello', email: 'ada@example.org' }, JSON_ONLY)
  t.strictSame(sent.json(), { text: 'Hello', search: { page: 1 } })
  t.match((await post('/a/x?/favourite', { a: 1 }, JSON_ONLY)).json(), { body: { a: 1 } })
  const refused = await post('/a/x?/comment', { text: 'Hello' }, JSON_ONLY)
  t.equal(refused.statusCode, 422)
  t.match(refused.json(), { status: 422, errors: [{ path: 'email' }] })
})

t.test('a page that navigates gets the name of the action with its result', async (t) => {
  const headers = { ...HTML, ...navigationHeaders() }
  const accepted = linesOfResponse(await post(marked('/a/x?/comment'), good, headers))
  t.match(accepted[0], ['acted', { plain: { actionData: { text: 'Hello' }, action: 'comment' } }])
  t.match(pick(accepted, 'start')[0]?.[1], {
    url: 'http://localhost:80/a/x',
    leaf: { rules: { comment: { text: { minLength: 2 }, email: { type: 'email' } }, favourite: null } },
  })
  const refused = await post(marked('/a/x?/comment'), 'text=Hello', headers)
  t.equal(refused.statusCode, 422)
  t.match(linesOfResponse(refused)[0], [
    'acted',
    { plain: { invalid: { values: { text: 'Hello' } }, action: 'comment' } },
  ])
})

t.test('a form for no action is refused before its body is read', async (t) => {
  for (const url of ['/a/x', '/a/x?/nothing', '/a/x?/constructor', '/a/x?page=1']) {
    const { statusCode, body } = await post(url, good)
    t.equal(statusCode, 404, url)
    t.match(body, /404<!-- -->\|<!-- -->This page has no such action\./, url)
  }
  const json = await app.inject({
    method: 'POST',
    url: '/a/x?/nothing',
    payload: '{',
    headers: { ...JSON_ONLY, 'content-type': 'application/json' },
  })
  t.match(json.json(), { status: 404, detail: 'This page has no such action.' })
  const { app: inDevelopment } = await testSite(t, site, { mode: 'development' })
  const hint = await inDevelopment.inject({ method: 'POST', url: '/a/x?/nothing', headers: JSON_ONLY })
  t.equal(
    hint.json().detail,
    'pages/a/[slug].server.ts has no such action. Send the form to "?/comment" or "?/favourite" or "?/mark-read" of this address.',
  )
  t.equal((await post('/guarded?/nothing')).statusCode, 401, 'the guard decides first')
  t.equal((await post('/guarded?/comment', good)).statusCode, 401)
})

t.test('requests of other sites are refused', async (t) => {
  const { statusCode } = await post('/a/x?/favourite', '', { ...HTML, origin: 'https://evil.example' })
  t.equal(statusCode, 403)
})

t.test('the name is no part of the key of a stored page', async (t) => {
  const first = shown(await get('/stored')).data
  await post('/stored?/favourite')
  t.equal(shown(await get('/stored?/favourite')).data, first)
  t.not(shown(await post('/stored?/favourite')).data, first, 'an action gets a page of its own')
})

t.test('a page with one action sees such a parameter', async (t) => {
  t.equal((await post('/single?/comment', '', JSON_ONLY)).json(), '?/comment')
})

t.test('actions that are not valid keep the server from starting', async (t) => {
  const action = () => 1
  for (const [exports, problem] of [
    [{ actions, action }, 'cannot be beside the export "action"'],
    [{ actions, form: comment }, 'cannot be beside the export "form"'],
    [{ actions: [] }, 'must be an object; got []'],
    [{ actions: {} }, 'has no action'],
    [{ actions: { 'a b': action } }, 'has the name "a b"; a name has letters, digits, "_" and "-"'],
    [{ actions: { a: 5 } }, 'has no function for "a"; got 5'],
    [{ actions: { a: { form: comment } } }, 'has no function for "a"; got {…}'],
  ] as const)
    await t.rejects(testSite(t, { '/': { ...exports } }), {
      code: 'HYD_ACTIONS_EXPORT',
      message: `the export "actions" of pages/index.server.ts ${problem}`,
    })
  await t.rejects(testSite(t, { '/': { actions: { a: { form: 5, action } } } }), {
    code: 'HYD_SCHEMA_INVALID',
    message: 'the export "actions.a.form" of pages/index.server.ts must be a Standard Schema; got 5',
  })
})
