import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import type { FailureRecord } from '../../../src/server/errors/failure-record.ts'
import type { LoadContext } from '../../../src/server/index.ts'
import { findFailing } from '../../find-failing.ts'
import { testSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { buildFiles, HTML, serve } from '../served.ts'

const page = 'export default function Page() {\n  return <p>never</p>\n}\n'
const kept: FailureRecord[] = []
const { app, failuresOf, log } = await serve(
  t,
  await buildFiles(t.testdir({}), {
    'pages/says.tsx': page,
    'pages/says.server.ts': `export const action = ({ request }) => {
  throw new Error(decodeURIComponent(request.headers['x-says']))
}
`,
    'pages/refuses.tsx': page,
    'pages/refuses.server.ts': `import { HttpError } from 'hydrant'
export const action = ({ request }) => {
  throw new HttpError(422, decodeURIComponent(request.headers['x-says']))
}
`,
    'pages/unknown.tsx': page,
    'pages/unknown.server.ts': `// No customer of the wholesale branch has one.
export const action = ({ form }) => {
  throw new Error('Unknown customer ' + form.get('name') + ' of the ' + form.get('branch') + ' branch')
}
`,
    'pages/typed.tsx': page,
    'pages/typed.server.ts': `export const action = ({ form }) => {
  if (form.get('kind') === 'returned') return { later: [() => 1] }
  form.get('kind').property.reading
}
`,
    'pages/computed.tsx': page,
    'pages/computed.server.ts': `export const action = ({ form }) => {
  const name = form.get('name')
  const handlers = { [name]() { throw new Error('not handled by ' + name) } }
  handlers[name]()
}
`,
    'pages/emitted.tsx': page,
    'pages/emitted.server.ts': `import { EventEmitter } from 'node:events'
export const action = ({ form }) => {
  const name = form.get('name')
  const listen = () => { throw new Error('not emitted by ' + name) }
  const events = { [name]: EventEmitter.prototype.emit, _events: { a: listen } }
  events[name]('a')
}
`,
    'pages/borrowed.tsx': page,
    'pages/borrowed.server.ts': `export const action = ({ form }) => {
  const name = form.get('name')
  const list = { [name]: Array.prototype.forEach, length: 1, 0: 1 }
  list[name](() => { throw new Error('not listed by ' + name) })
}
`,
  }),
  { onFailure: (failure) => void kept.push(failure) },
)

async function said(url: string, message: string, payload: object | string): Promise<string> {
  const isForm = typeof payload === 'string'
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  const response = await app.inject({
    method: 'POST',
    url,
    headers: { ...HTML, 'content-type': type, 'x-says': encodeURIComponent(message) },
    payload,
  })
  const [failure] = failuresOf(response)
  return (
    failure?.err?.message ?? String(log.lines.findLast(({ reqId }) => reqId === response.headers['x-request-id'])?.msg)
  )
}

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

t.test('hides values that say something about a person', async (t) => {
  const cases: [message: string, fields: Record<string, string>, expected: string][] = [
    ['Unknown customer Jane Doe', { name: 'Jane Doe' }, 'Unknown customer [hidden]'],
    ['Unknown customer Winterbottom', { surname: 'Winterbottom' }, 'Unknown customer [hidden]'],
    ['no winterbottom, and no "winterbottom"', { surname: 'winterbottom' }, 'no [hidden], and no "[hidden]"'],
    ['user_winterbottom2 is taken', { name: 'winterbottom' }, 'user_[hidden]2 is taken'],
    ['no Žižková', { name: 'Žižková' }, 'no [hidden]'],
    ['nobody is named 山田太郎左衛門さん', { name: '山田太郎左衛門' }, 'nobody is named [hidden]さん'],
    ['no jane@example.org here', { mail: ' jane@example.org ' }, 'no [hidden] here'],
    [
      'no jane@example.org or winterbottom',
      { mail: 'Jane@Example.org', name: 'Winterbottom' },
      'no [hidden] or [hidden]',
    ],
    [
      'GET http://a/?mail=jane%40example.org&x failed',
      { mail: 'jane@example.org' },
      'GET http://a/?mail=[hidden]&x failed',
    ],
    ['GET /?to=12+Rose+Lane', { street: '12 Rose Lane' }, 'GET /?to=[hidden]'],
    ['{"text":"one \\"two\\"\\nthree"}', { text: 'one "two"\nthree' }, '{"text":"[hidden]"}'],
    ['card 4242424242424242 refused', { card: '4242424242424242' }, 'card [hidden] refused'],
    ['card:4242 4242 4242 4242.', { card: '4242 4242 4242 4242' }, 'card:[hidden].'],
    ['IBAN DE02120300000000202051x', { account: 'DE02120300000000202051' }, 'IBAN [hidden]x'],
    ["Duplicate entry 'hunter22'", { nick: 'hunter22' }, "Duplicate entry '[hidden]'"],
    ['invalid O’Connor-Smith', { name: 'O’Connor-Smith' }, 'invalid [hidden]'],
    ['12 Rose Lane, Bath is far', { street: '12 Rose Lane, Bath' }, '[hidden] is far'],
  ]
  const failing = await findFailing(
    cases,
    async ([message, fields]) => [
      await said('/says', message, form(fields)),
      await said('/says', message, { nested: [fields] }),
    ],
    ([, , expected]) => [expected, expected],
  )
  t.strictSame(failing, [])
})

t.test(
  'hides values in another case, parts of addresses and names, and names of properties that are values',
  async (t) => {
    const cases = [
      ['no JANE.DOE@EXAMPLE.ORG', form({ mail: 'jane.doe@example.org' }), 'no [hidden]'],
      ['no Jane.Doe@Example.org', form({ mail: 'jane.doe@example.org' }), 'no [hidden]'],
      ['no WINTERBOTTOM', form({ name: 'Winterbottom' }), 'no [hidden]'],
      ['no Winterbottom', form({ name: 'winterbottom' }), 'no [hidden]'],
      ['no Winterbottom', form({ name: 'JANE WINTERBOTTOM' }), 'no [hidden]'],
      ['no Žižková', form({ name: 'žižková' }), 'no [hidden]'],
      ['no Weißbrodt, no WEISSBRODT', form({ name: 'weißbrodt' }), 'no [hidden], no [hidden]'],
      ['no 12 ROSE LANE', form({ street: '12 Rose Lane' }), 'no [hidden]'],
      ['no Jane.Doe at EXAMPLE.org', form({ mail: 'jane.doe@example.org' }), 'no [hidden] at [hidden]'],
      ["no O'Brien-Smith", form({ name: "o'brien-smith" }), 'no [hidden]'],
      ['no Winterbottom', { people: [{ WINTERBOTTOM: 1, 'Anna Winterbottom': 2 }] }, 'no [hidden]'],
      ['GET /?q=Rose+Lane+12 failed', { street: 'rose lane 12' }, 'GET /?q=[hidden] failed'],
      ['GET /?q=rose%20lane%2012 failed', { street: 'Rose Lane 12' }, 'GET /?q=[hidden] failed'],
      ['no mailbox jane.doe at example.org', form({ mail: 'jane.doe@example.org' }), 'no mailbox [hidden] at [hidden]'],
      ['no winterbottom here', form({ mail: 'jane.winterbottom+shop@example.org' }), 'no [hidden] here'],
      ['no Winterbottom', form({ name: 'Jane Winterbottom' }), 'no [hidden]'],
      ['no WINTERBOTTOM', form({ name: 'Jane Winterbottom' }), 'no [hidden]'],
      ["reading 'jane@example.org'", { 'jane@example.org': 1 }, "reading '[hidden]'"],
      ["reading '4242424242424242'", { cards: { '4242424242424242': true } }, "reading '[hidden]'"],
      ["reading 'Jane Doe'", form({ 'Jane Doe': 'on' }), "reading '[hidden]'"],
      ['address.street is missing', form({ 'address.street': '' }), 'address.street is missing'],
      ['items[2].amount is missing', { 'items[2].amount': '' }, 'items[2].amount is missing'],
    ] as const
    const failing = await findFailing(
      cases,
      ([message, body]) => said('/says', message, body),
      ([, , expected]) => expected,
    )
    t.strictSame(failing, [])
  },
)

t.test('no frame shows a value from which code has made the name of a function', async (t) => {
  const pages = [
    ['/computed', /at .*\[hidden\].* \(pages\/computed\.server\.ts:3:\d+\)\n {4}at action \(/],
    // A frame outside of the site, and one without a place.
    ['/emitted', /at Object\.emit \[as .*\[hidden\].*\] \(node:events:\d+:\d+\)\n {4}at action \(/],
    ['/borrowed', /at Object\.forEach \[as .*\[hidden\].*\] \(<anonymous>\)\n {4}at action \(/],
  ] as const
  const names = ['jane@example.org', 'Winterbottom', 'Jane Doe', '4711-0815']
  const failing = await findFailing(
    pages.flatMap(([url, frame]) => names.map((name) => ({ url, frame, name }))),
    async ({ url, frame, name }) => {
      const { statusCode, headers } = await app.inject({
        method: 'POST',
        url,
        headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded' },
        payload: form({ name }),
      })
      const line = log.lines.find(({ reqId, err }) => err && reqId === headers['x-request-id'])
      const { message = '', stack = '' } = line?.err ?? {}
      await until(() => kept.some(({ digest }) => digest === line?.digest))
      const written = JSON.stringify([line, kept.find(({ digest }) => digest === line?.digest)])
      const isHidden = /^not \w+ by \[hidden\]$/.test(message) && frame.test(stack) && !written.includes(name)
      return statusCode === 500 && isHidden ? undefined : { statusCode, written }
    },
  )
  t.strictSame(failing, [])
})

t.test('hides numbers of JSON', async (t) => {
  for (const card of [4242424242424242, '4242424242424242'])
    t.equal(await said('/says', 'card 4242424242424242 refused', { card }), 'card [hidden] refused')
})

t.test('hides any value of a field whose name means a secret', async (t) => {
  const message = 'the function is wrong: xfunctionx'
  const failing = await findFailing(
    ['password', 'user[password]', 'apiKey', 'access_token', 'code'],
    (name) => said('/says', message, form({ [name]: 'function' })),
    () => 'the [hidden] is wrong: x[hidden]x',
  )
  t.strictSame(failing, [])
  const nested = { credentials: { first: ['function'] } }
  t.equal(await said('/says', message, nested), 'the [hidden] is wrong: x[hidden]x')
})

t.test('words that a message itself uses stay, whatever the visitor sent', async (t) => {
  const cases = [
    ['route.load is not a function', 'function'],
    ["Cannot read properties of undefined (reading 'price')", 'properties'],
    ["Cannot read properties of undefined (reading 'price')", 'Cannot'],
    ['Unexpected token < in JSON at position 0', 'Unexpected'],
    ['the constructor of winterbottomless things', 'winterbottom'],
    ['order 1234567 is gone', '123456'],
    ['getCustomerById failed', 'Customer'],
    ['the theme is dark', 'dark'],
    ['GET /caf%C3%A9 failed', 'é'],
  ] as const
  const failing = await findFailing(
    cases,
    async ([message, value]) => [
      await said('/says', message, form({ comment: value })),
      await said('/says', message, { value }),
    ],
    ([message]) => [message, message],
  )
  t.strictSame(failing, [])
})

t.test('words of Hydrant’s own messages stay', async (t) => {
  const returned = await said('/typed', '', form({ kind: 'returned' }))
  t.match(returned, /returned data.* cannot be sent to the browser/)
  t.match(await said('/typed', '', form({ kind: 'object' })), "Cannot read properties of undefined (reading 'reading')")
})

t.test('words of the code around the frame stay, as they do not come from a visitor', async (t) => {
  const fields = { name: 'Winterbottom', branch: 'wholesale' }
  t.equal(await said('/unknown', '', form(fields)), 'Unknown customer [hidden] of the wholesale branch')
  const told = await said('/unknown', '', form({ name: 'customer', branch: 'branch of Winterbottom' }))
  t.equal(told, 'Unknown customer customer of the [hidden] branch')
})

t.test('the line of a refusal does not show values of the body either', async (t) => {
  t.equal(
    await said('/refuses', 'No account for jane@example.org', form({ mail: 'jane@example.org' })),
    'refused with 422: No account for [hidden]',
  )
})

t.test('a long text that a message repeats in part is hidden completely', async (t) => {
  const story = Array.from({ length: 3_000 }, (_, n) => `word${n}`).join(' ')
  t.match(
    await said('/says', `too long: ${story.slice(0, 4_000)}`, { story }),
    /^too long: \[hidden\]… \(4010 characters\)$/,
  )
})

t.test('a password is hidden wherever it is in a large body', async (t) => {
  const password = 'hunter22-secret'
  const rows = Array.from({ length: 15_000 }, (_, index) => index)
  const nested = rows.slice(0, 6_000).map((row) => ({ row }))
  for (const body of [
    { password, rows },
    { rows, password },
    { nested, user: { password } },
    { user: { password }, nested },
    { password, many: Array(200_000).fill(1) },
    { many: Array(15_000).fill(''), empty: Array(2_000).fill({}), password },
  ]) {
    t.equal(await said('/says', `login failed for ${password}`, body), 'login failed for [hidden]')
  }
})

t.test('a password is hidden in Base64, also as a part of a longer text', async (t) => {
  const password = 'hunter22>>??secret'
  const texts = [password, `a:${password}`, `ab:${password}`, `abc:${password}:z`]
  const failing = await findFailing(
    texts.flatMap((text) => (['base64', 'base64url'] as const).map((encoding) => Buffer.from(text).toString(encoding))),
    async (encoded) => {
      const message = await said('/says', `refused ${encoded}`, form({ password }))
      return /^refused .{0,6}\[hidden\].{0,4}$/.test(message) ? undefined : message
    },
  )
  t.strictSame(failing, [])
})

t.test('a PIN and a one-time code are hidden where they stand alone', async (t) => {
  const secret = await findFailing(
    ['pin', 'otp', 'user[pin]', 'mfa_code', 'newPin'],
    async (name) => [
      await said('/says', 'wrong code 4711, not 14711', form({ [name]: '4711' })),
      await said('/says', 'wrong code 123456', form({ [name]: '123456' })),
      await said('/says', 'wrong code 4711', { user: [{ [name]: 4711 }] }),
    ],
    () => ['wrong code [hidden], not 14711', 'wrong code [hidden]', 'wrong code [hidden]'],
  )
  t.strictSame(secret, [])
  const ordinary = await findFailing(
    ['pinned', 'shipping', 'zip_code'],
    (name) => said('/says', 'wrong code 4711', form({ [name]: '4711' })),
    () => 'wrong code 4711',
  )
  t.strictSame(ordinary, [])
})

t.test('no value of a body that is too large to be searched is written', async (t) => {
  const texts = (count: number) => Array.from({ length: count }, (_, n) => `jane${n}@example.org`)
  const objects = (count: number) => Array.from({ length: count }, (_, n) => ({ n }))
  const last = { mail: 'winter@example.org', password: 'hunter22-secret' }
  for (const body of [
    [...texts(5_000), last],
    [last, ...texts(6_000)],
    [...texts(25_000), last],
    { a: { b: { c: [last, ...texts(25_000)] } } },
    [...objects(60_000), last],
    [last, ...objects(60_000)],
    [...texts(4_000).map((token) => ({ token })), ...texts(4_000).map((code) => ({ secret: `${code}!` })), last],
  ]) {
    const message = "Cannot read properties of undefined (reading 'mail'): winter@example.org, hunter22-secret, jane7"
    const shown = await said('/says', message, body)
    t.notMatch(shown, /winter|hunter22|jane/)
    t.match(shown, /^Cannot .*properties .*undefined/, 'words of the message stay')
  }
})

t.test('values that occur often count once', async (t) => {
  const body = Array.from({ length: 20_000 }, () => ({ city: 'Winterbottom', kind: 'a', count: 1 }))
  t.equal(await said('/says', 'no shop in Winterbottom yet', body), 'no shop in [hidden] yet')
})

t.test('hides the fields of a form that the app’s own parser reads', async (t) => {
  const kept: FailureRecord[] = []
  async function server(app: FastifyInstance) {
    await app.register(formbody)
    app.post<{ Body: Record<string, string> }>('/own', ({ body }) => {
      throw new Error(`refused ${body.password} of ${body.mail}`)
    })
  }
  const { app, failuresOf } = await testSite(t, {}, { server, onFailure: (failure) => void kept.push(failure) })
  const response = await app.inject({
    method: 'POST',
    url: '/own',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: form({ password: 'hunter22-secret', mail: 'jane@example.org' }),
  })
  t.match(failuresOf(response), [{ err: { message: 'refused [hidden] of [hidden]' } }])
  await until(() => kept[0])
  t.match(kept, [{ message: 'refused [hidden] of [hidden]' }])
})

t.test('hides values in the names of promises that were pending', async (t) => {
  const later = ({ request }: LoadContext) => {
    const mail = request.body instanceof FormData ? String(request.body.get('mail')) : 'nobody'
    return { byMail: { [mail]: new Promise(() => {}) }, reviews: new Promise(() => {}) }
  }
  const page = { load: later, action: () => 'done' }
  const { app, failuresOf } = await testSite(t, { '/': page }, { ledger: false, timeouts: { renderMs: 50 } })
  const response = await app.inject({
    method: 'POST',
    url: '/',
    headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded' },
    payload: form({ mail: 'jane@example.org' }),
  })
  t.match(failuresOf(response), [{ pending: ['data.byMail.[hidden]', 'data.reviews'] }])
})
