import t from 'tap'
import { createRedactor } from '../../../src/server/redaction/redact.ts'
import { findFailing } from '../../find-failing.ts'
import { buildFiles, HTML, JSON_ONLY, serve } from '../served.ts'

const TOKEN = 'eyJhbGciOi.J9-secret_value~1'
const HEADERS = {
  authorization: `Bearer ${TOKEN}`,
  'proxy-authorization': 'Basic dXNlcjpwcm94eXNlY3JldA==',
  'x-api-key': 'k-0815-and-more',
  cookie: 'theme=dark; session=s%3Asession%20secret; quoted="quoted-secret"; a=abcdef; b=abcdef-and-a-longer-secret',
}
const redact = createRedactor(HEADERS)
/** Returns a text in which a secret is still shown. */
const showing = ([text, secret]: readonly [string, string]) => {
  const shown = redact(text)
  return shown.includes(secret) ? shown : undefined
}
const itself = (text: string) => text

t.test('hides the secrets in the headers of a request', async (t) => {
  const texts = [
    [`authorization: Bearer ${TOKEN}`, TOKEN],
    [`the token ${TOKEN} is old`, TOKEN],
    ['proxy dXNlcjpwcm94eXNlY3JldA== refused', 'dXNlcjpwcm94eXNlY3JldA'],
    ['user has no password proxysecret', 'proxysecret'],
    ['no key k-0815-and-more', '0815'],
    ['session s%3Asession%20secret is gone', 'session%20secret'],
    ['session s:session secret is gone', 'session secret'],
    ['quoted-secret, without its quotes', 'quoted-secret'],
    ['no such b: abcdef-and-a-longer-secret', 'and-a-longer-secret'],
    [JSON.stringify(HEADERS), 'secret'],
  ] as const
  t.strictSame(await findFailing(texts, showing), [])
  t.match(redact('the theme is dark'), 'dark', 'a short value is not a secret')
})

t.test('hides the parts of signed cookies and of cookies with JSON, in any case', async (t) => {
  const signature = 'kDgXb0v2Hq9vB5f3m1wJ0xYpLqR4sTtUuVvWwXxYyZz'
  const session = 'Zs81kd93kd'
  const cookies = [
    `sid=s:${session}.${signature}`,
    `sid=${encodeURIComponent(`s:${session}.${signature}`)}`,
    `sid=${session}.${signature}`,
    `cart=j:{"id":"${session}","by":{"key":"${signature}"}}`,
    `cart=${encodeURIComponent(`j:{"list":["${session}","${signature}"]}`)}`,
    `cart={"id":"${session}","sig":"${signature}"}`,
    `cart={"id":"${session}"}.${signature}`,
    `cart=${encodeURIComponent(`s:j:{"id":"${session}"}.${signature}`)}`,
    `other=1; sid="s:${session}.${signature}"; theme=dark`,
  ]
  const shown = cookies.flatMap((cookie) => {
    const redact = createRedactor({ cookie })
    const text = `no session ${session}, ${session.toUpperCase()}, ${session.toLowerCase()}; signed ${signature}`
    return redact(text) === 'no session [hidden], [hidden], [hidden]; signed [hidden]' ? [] : [redact(text)]
  })
  t.strictSame(shown, [])
  t.equal(
    createRedactor({ cookie: `last=s:object.${signature}` })('no object'),
    'no object',
    'a word of messages stays',
  )
})

t.test('hides credentials in URLs and queries', async (t) => {
  const texts = [
    ['connect to postgres://app:hunter22@db.example/shop', 'hunter22'],
    ['redis://:hunter22@cache:6379', 'hunter22'],
    ['amqp+tls://user:hunter%22@mq', 'hunter'],
    ['GET /reset?token=hunter22&id=5', 'hunter22'],
    ['/a?access_token=hunter22', 'hunter22'],
    ['/a?x=1&password=hunter22#top', 'hunter22'],
    ['/a?API-KEY=hunter22', 'hunter22'],
    ['/cb?code=hunter22&state=1', 'hunter22'],
    ['/a?user;sessionId=hunter22', 'hunter22'],
    ['Authorization: Basic aHVudGVyMjI=', 'aHVudGVyMjI'],
    ['BEARER hunter22.hunter22', 'hunter22'],
    ['/a?to=bearer%20hunter22', 'hunter22'],
    ['postgres://app:hunter22@home@db.example/shop', 'home'],
    ['/a?api_key=hunter22', 'hunter22'],
    ['/a?user[password]=hunter22', 'hunter22'],
    ['/a?user%5Bpassword%5D=hunter22', 'hunter22'],
    ['https://shop.example/#access_token=hunter22&type=x', 'hunter22'],
    ['/login?next=/a?token=hunter22', 'hunter22'],
    ['/login?next=%2Fa%3Fx%3D1%26token%3Dhunter22%26y%3D2', 'hunter22'],
    ['/login?token=a%26hunter22', 'hunter22'],
  ] as const
  t.strictSame(await findFailing(texts, showing), [])
  const ordinary = ['/a?id=5&page=2', '/a?author=Somebody', 'only basic support', '://a.b: no @ here']
  t.strictSame(await findFailing(ordinary, (text) => redact(text), itself), [])
  t.equal(redact('/a?next=/b%3Ftoken%3Dx%26y%3D2&z=3'), '/a?next=/b%3Ftoken%3D[hidden]%26y%3D2&z=3')
  t.equal(redact('https://shop.example/a?b=c'), 'https://shop.example/a?b=c')
  t.equal(redact('postgres://app:hunter22@db.example/shop'), 'postgres://[hidden]@db.example/shop')
})

t.test('hides secrets that their form shows, and values after a name', async (t) => {
  const basic = Buffer.from('user:hunter22').toString('base64')
  const texts = [
    [`401 for Authorization: Basic ${basic}`, '401 for Authorization: Basic [hidden]'],
    [JSON.stringify({ authorization: `Basic ${basic}` }), '{"authorization":"Basic [hidden]"}'],
    ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln is old', 'token [hidden] is old'],
    ['https://hunter22@api.example/x', 'https://[hidden]@api.example/x'],
    ['had Cookie: sid=hunter22; theme=dark', 'had Cookie: [hidden]'],
    ['set-cookie: sid=hunter22; Path=/; HttpOnly\nx', 'set-cookie: [hidden]\nx'],
    ["{ cookie: 'a=hunter22; b=2', x: 1 }", "{ cookie: '[hidden]', x: 1 }"],
    ['host=db user=app password=hunter22 dbname=shop', 'host=db user=app password=[hidden] dbname=shop'],
    ['Server=db;Password = correcthorse;Database=x', 'Server=db;Password = [hidden];Database=x'],
    ['{"user":"a","password":"hun,ter22"}', '{"user":"a","password":"[hidden]"}'],
    [JSON.stringify('{"password":"hunter22"}'), '"{\\"password\\":\\"[hidden]\\"}"'],
    ["{ user: 'a', apiKey: 'correcthorse' }", "{ user: 'a', apiKey: '[hidden]' }"],
    ['X-API-Key: hunter22', 'X-API-Key: [hidden]'],
    ['PGPASSWORD=hunter22 psql', 'PGPASSWORD=[hidden] psql'],
    ['SMTP_PASS=hunter22', 'SMTP_PASS=[hidden]'],
    ['mysql --password=hunter22 -u root', 'mysql --password=[hidden] -u root'],
    ['Bad credentials: ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'Bad credentials: [hidden]'],
    ['no such key: sk_live_51Habcdefghijklmnop', 'no such key: [hidden]'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END', '-----BEGIN RSA PRIVATE KEY-----[hidden]-----END'],
    ['    at connect (password=hunter22:1:2)', '    at connect (password=[hidden])'],
  ] as const
  t.strictSame(
    await findFailing(
      texts,
      ([text]) => redact(text),
      ([, shown]) => shown,
    ),
    [],
  )
  const ordinary = [
    'Unexpected token: end of line 2',
    'signature: function(a1, b2)',
    'the variable npm_config_user_agent_string_9 is missing',
    'Unexpected token } in JSON at position 12',
    'password: Required, must have 8 characters',
    '{"password":"Must have 8 characters or more"}',
    '{"password":"Required"}',
    '{"code":"ERR_BAD_2","key":"price2024"}',
    'max_tokens=4096 exceeds 128000',
    'tokens: 128000',
    'session: expired',
    'auth: 401',
    'if (password === expected) return token => 5',
    'bypass=enabled24, compass: north45',
    'jwt malformed, signature: invalid',
    'the cookie: too long (5000 bytes)',
    '    at validateToken (/srv/site/auth/session.ts:120:15)',
    '    at token (file:///srv/site/token:120:15)',
    '    at Object.<anonymous> (https://esm.example/react@19.2.0/index.js:1:2)',
    'author: Somebody2, keyboard: x1y2z3, passenger: Smith99',
  ]
  t.strictSame(await findFailing(ordinary, (text) => redact(text), itself), [])
})

t.test('hides the values of secret names however a query spells them', async (t) => {
  const texts = [
    '/a?%74oken=hunter22',
    '/a?%74%6F%6b%65%6E=hunter22',
    '/a?%2574oken=hunter22',
    '/a?%zz%74oken=hunter22',
    '/a?%ff%74oken=hunter22',
    '/a?ToKeN=hunter22',
    '/a?+token=hunter22',
    '/a?%20token%20=hunter22',
    '/a?a[token]=hunter22',
    '/a?a%5B%74oken%5D=hunter22',
    '/a?a[b][token][]=hunter22',
    '/a?user.token=hunter22',
    '/a?user.code=hunter22',
    '/a?user[code]=hunter22',
    '/a?user%5Bcode%5D=hunter22',
    '/a?c%6Fde=hunter22',
    '/a?code[]=hunter22',
    '/a?code+=hunter22',
    '/a?token=&token=hunter22',
    '/a?token=1&id=2&token=hunter22&id=3',
    '/a?token==hunter22',
    '/a?a%3Dtoken=hunter22',
    '/a?a%26token=hunter22',
    '/a?token%26a=hunter22',
    '/a?to=%2Fb%3F%74oken%3Dhunter22',
    '/a?to=%2Fb%3F%2574oken%3Dhunter22',
    '/a?to=%2Fb%253Ftoken%253Dhunter22',
    '/a?to=%2Fb%253Fx%253D1%2526%252574oken%253Dhunter22',
    '/a?to=%2Fb%3Ftoken%3Dx%2526hunter22',
    '/a?to=%2Fb%3Ftoken=hunter22',
    `/a?${'x'.repeat(200)}.token=hunter22`,
    'from https://shop.example/a#access%5Ftoken=hunter22&type=x',
    'from https://shop.example/#/done?id_token=hunter22',
    '{"referer":"https://shop.example/cb?%63ode=hunter22"}',
    '/a;jsessionid=hunter22',
    '?otp=hunter22',
    '/a?token=x;hunter22',
    '/a?to=%2Fb%3Ftoken%3Dx%3Bhunter22',
    '/a?token="hunter22"',
    "/a?token=x'hunter22",
    "/a?user['token']=hunter22",
  ]
  t.strictSame(await findFailing(texts, (text) => showing([text, 'hunter22'])), [])
  t.equal(
    redact('/a?to=%2Fb%253Ftoken%253Dx%2526y%253D2%26z%3D3&v=4'),
    '/a?to=%2Fb%253Ftoken%253D[hidden]%2526y%253D2%26z%3D3&v=4',
  )
  t.equal(
    redact('GET "/a?token=x" failed, \'/b?token=y\' too'),
    'GET "/a?token=[hidden]" failed, \'/b?token=[hidden]\' too',
  )
  t.equal(redact('/a?%74oken=x&y=2'), '/a?%74oken=[hidden]&y=2')
  const ordinary = ['/a?zip_code=12345', '/a?%66oo=bar&100%=1', '/a?x=token', '/a?next=/token/b&y=2', 'code = 5']
  t.strictSame(await findFailing(ordinary, (text) => redact(text), itself), [])
})

t.test('names of codes for one person are secret, and ordinary words are not', async (t) => {
  const secret =
    'otp OTP totp hotp otp_code otpCode userOtp user-otp otp[0] otp1 pin PIN new_pin newPin pinCode card.pin pin2 mfa ' +
    'mfa_code mfaCode 2fa tfa_code verification_code verificationCode verify_code confirmation-code sms_code ' +
    'security_code recoveryCode backup_code one_time_code oneTimeCode login_code cvv card[cvc] ' +
    'PHPSESSID sess_id sid connect.sid subscription-key master_key signingKey'
  const ordinary =
    'shipping shippingAddress option options pinned isPinned spin spinner opinion pineapple laptop adoption mapping ' +
    'ping pinterest zip_code postalCode country_code promo_code status_code encoding decode barcode sort_key keyword ' +
    'monkey signal design author confirmation verified security_question comfy gift ' +
    'sidebar inside assessment idempotency-key primary_key'
  const shown = (name: string) => redact(`/a?${name}=4711`)
  t.strictSame(await findFailing(secret.split(' '), shown, (name) => `/a?${name}=[hidden]`), [])
  t.strictSame(await findFailing(ordinary.split(' '), shown, (name) => `/a?${name}=4711`), [])
})

t.test('nothing else changes', async (t) => {
  const plain = createRedactor({})
  const texts = ['', 'a plain message', 'a@b.example', 'at f (/a/b.ts:1:2)', '100% of {it}', '$& $1']
  t.strictSame(await findFailing(texts, (text) => plain(text), itself), [])
})

t.test('accepts any cookies', async (t) => {
  const cookies = ['', ';', '=', 'a', 'a=%', 'a=%zzzzzzzz', ';;;=;', 'a='.repeat(5_000)]
  const shown = (cookie: string) => createRedactor({ cookie })('a message')
  t.strictSame(await findFailing(cookies, shown, () => 'a message'), [])
})

const dir = await buildFiles(t.testdir({}), {
  'pages/leak.tsx': 'export default function Page() {\n  return <p>never</p>\n}\n',
  'pages/leak.server.ts': `import { HttpError } from 'hydrant'
export const load = ({ request, url }) => {
  const said = Object.values(request.headers).join(' ') + ' ' + url.href + ' postgres://app:hunter22@db/shop'
  if (url.searchParams.has('refuse')) throw new HttpError(403, said)
  if (url.searchParams.has('cut')) throw new Error('x'.repeat(Number(url.searchParams.get('cut'))) + request.headers.authorization)
  throw new AggregateError([new Error(said)], said, { cause: Object.assign(new Error(said), { digest: said }) })
}
`,
  'pages/sent.tsx': 'export default function Page() {\n  return <p>never</p>\n}\n',
  'pages/sent.server.ts': `export const action = ({ request, form }) => {
  throw new Error('nobody has ' + JSON.stringify(request.body instanceof FormData ? [...form] : request.body))
}
`,
  'pages/reset.tsx': 'export default function Page() {\n  return <p>never</p>\n}\n',
  'pages/reset.server.ts': `export const load = ({ url }) => {
  throw new Error('nobody has ' + url.searchParams.get('token') + ' of ' + url.searchParams.get('shop'))
}
`,
})

t.test('no value that a visitor sent reaches the log, in any form', async (t) => {
  const { app, log } = await serve(t, dir)
  const sent = { name: 'somebody', login: [{ password: 'hunter22-and-more' }, ['hunter22'], 'abc', 5, null] }
  for (const [type, payload] of [
    ['application/json', JSON.stringify(sent)],
    ['application/json', '"hunter22"'],
    ['text/plain', 'hunter22'],
    ['application/x-www-form-urlencoded', 'password=hunter22'],
  ] as const) {
    const headers = { ...JSON_ONLY, 'content-type': type }
    t.equal((await app.inject({ method: 'POST', url: '/sent', headers, payload })).statusCode, 500)
  }
  t.equal(log.errors().length, 4)
  t.notMatch(JSON.stringify(log.errors()), /hunter22|somebody|and-more/)
  t.match(
    log.errors()[0]?.err?.message,
    '{"name":"[hidden]","login":[{"password":"[hidden]"},["[hidden]"],"abc",5,null]}',
  )
})

t.test('no secret of a request reaches the log or the response', async (t) => {
  const { app, log, get } = await serve(t, dir, { logRequests: true })
  const secrets = [
    TOKEN,
    'dXNlcjpwcm94eXNlY3JldA',
    'session%20secret',
    'quoted-secret',
    'longer-secret',
    'hunter22',
    'querysecret',
  ]
  for (const query of ['', '&refuse=1']) {
    for (const accept of [HTML, JSON_ONLY]) {
      const response = await get(`/leak?access_token=querysecret&id=5${query}`, { ...accept, ...HEADERS })
      t.equal(response.statusCode, query ? 403 : 500)
      // The form that requests the page again contains the URL that the browser requested.
      const hidden = secrets.filter((secret) => secret !== 'querysecret')
      const shown = query ? [] : hidden.filter((secret) => response.body.includes(secret))
      t.strictSame(shown, [])
    }
  }
  await app.inject({ method: 'POST', url: '/leak?token=querysecret', headers: HEADERS })
  await get('/nowhere?token=querysecret', { ...HTML, ...HEADERS })
  await get('/%zz?token=querysecret', { ...HTML, ...HEADERS })
  const text = JSON.stringify(log.lines)
  t.equal(log.errors().length, 2)
  const linesWith = (secret: string) => log.lines.filter((line) => JSON.stringify(line).includes(secret))
  const failing = await findFailing(
    secrets,
    (secret) => linesWith(secret).map(({ msg }) => msg),
    () => [],
  )
  t.strictSame(failing, [], 'no secret is in the log')
  t.match(text, 'id=5', 'the rest of the URL stays')
})

t.test('a secret of the query is hidden in messages that repeat it without its name', async (t) => {
  const { log, get } = await serve(t, dir)
  for (const query of [
    'token=hunter22',
    '%74oken=hunter22',
    'token=hunter%202+2',
    'token=%68unter22%21',
    'token=hunter%ff22',
  ])
    await get(`/reset?${query}&shop=bakery`, HTML)
  t.strictSame(
    log.errors().map(({ err }) => err?.message),
    Array(5).fill('nobody has [hidden] of bakery'),
  )
  await get('/reset?code=nobody&token=Winterbottom&key=bakery&shop=bakery', HTML)
  t.equal(log.errors().at(-1)?.err?.message, 'nobody has [hidden] of [hidden]', 'a word of the code stays')
})

t.test('no part stays of a secret that is cut with its message', async (t) => {
  const { log, get } = await serve(t, dir)
  for (const length of [1_985, 1_975, 2_000]) await get(`/leak?cut=${length}`, { ...HTML, ...HEADERS })
  t.equal(log.errors().length, 3)
  for (const { err } of log.errors()) t.notMatch(err?.message, TOKEN.slice(0, 6))
})
