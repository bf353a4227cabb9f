import t from 'tap'
import { type Auth, createAuth as createAuthOf } from '../../../src/server/admin/auth.ts'
import { findFailing } from '../../find-failing.ts'

const TOKEN = 'correct-horse-battery'
const READ_TOKEN = 'only-for-reading-it'
const IP = '192.0.2.1'

type Rest = Parameters<typeof createAuthOf> extends [unknown, ...infer Others] ? Others : never
const createAuth = (token: string, ...rest: Rest): Auth => createAuthOf({ token, readToken: '' }, ...rest)

function createClock() {
  let time = 1_000_000
  return {
    now: () => time,
    pass(ms: number) {
      time += ms
    },
  }
}

t.test('without a token everyone has access', async (t) => {
  t.strictSame(await createAuth('').authenticate({}, IP), { kind: 'ok' })
})

t.test('with a token only clients that send it have access', async (t) => {
  const auth = createAuth(TOKEN)
  t.strictSame(await auth.authenticate({ authorization: `Bearer ${TOKEN}` }, IP), { kind: 'ok' })
  t.strictSame(await auth.authenticate({ authorization: `bearer  ${TOKEN}` }, IP), { kind: 'ok' })
  const failing = await findFailing(
    [undefined, '', TOKEN, `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, 'Bearer ', `Bearer x ${TOKEN}`],
    (authorization) => auth.authenticate(authorization === undefined ? {} : { authorization }, IP),
    () => ({ kind: 'denied' }),
  )
  t.strictSame(failing, [])
})

t.test('signing in gives a cookie that lasts and does not contain the token', async (t) => {
  const clock = createClock()
  const auth = createAuth(TOKEN, clock.now)
  const signedIn = await auth.signIn(` ${TOKEN}\n`, IP, {})
  const set = signedIn.kind === 'ok' ? signedIn.cookie : ''
  t.match(set, /; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/)
  t.notOk(set.includes(TOKEN))
  const [cookie = ''] = set.split(';')
  t.strictSame(await auth.authenticate({ cookie: `a=b; ${cookie}; c=d` }, IP), { kind: 'ok' })
  t.strictSame(await createAuth(TOKEN, clock.now).authenticate({ cookie }, IP), { kind: 'ok' }, 'on another replica')
  t.strictSame(
    await createAuth(`${TOKEN}2`, clock.now).authenticate({ cookie }, IP),
    { kind: 'denied' },
    'not for another token',
  )
  const [, until = ''] = /=(\d+)/.exec(cookie) ?? []
  const longer = cookie.replace(until, String(Number(until) + 1))
  t.strictSame(await auth.authenticate({ cookie: longer }, IP), { kind: 'denied' }, 'it cannot be made to last longer')
  clock.pass(12 * 3_600_000)
  t.strictSame(await auth.authenticate({ cookie }, IP), { kind: 'denied' }, 'after twelve hours')
  t.match(auth.signOut({}), /=; Max-Age=0; Path=\/; HttpOnly/)
})

t.test('a cookie that was set over https stays on https', async (t) => {
  const auth = createAuth(TOKEN)
  const secure = [
    { origin: 'https://ops.example' },
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-proto': 'https, http' },
    { forwarded: 'for=192.0.2.1;proto=https;host=ops.example' },
    { forwarded: 'proto="https", for=10.0.0.1' },
  ]
  const ofSecure = await findFailing(secure, async (headers) => {
    const signedIn = await auth.signIn(TOKEN, IP, headers)
    const signedOut = auth.signOut(headers)
    const isRight = signedIn.kind === 'ok' && /; SameSite=Strict; Secure$/.test(signedIn.cookie)
    return isRight && /; Secure$/.test(signedOut) ? undefined : { signedIn, signedOut }
  })
  t.strictSame(ofSecure, [])
  const plain = [
    {},
    { origin: 'http://localhost:9320' },
    { origin: 'null' },
    { 'x-forwarded-proto': 'http, https' },
    { forwarded: 'proto=http, proto=https' },
  ]
  const ofPlain = await findFailing(plain, async (headers) => {
    const signedIn = await auth.signIn(TOKEN, IP, headers)
    return signedIn.kind === 'ok' && /SameSite=Strict$/.test(signedIn.cookie) ? undefined : signedIn
  })
  t.strictSame(ofPlain, [])
})

t.test(
  'after ten wrong tokens of an address, further wrong ones are denied later, and right ones are accepted at once',
  async (t) => {
    const clock = createClock()
    const delays: { ms: number; end(): void }[] = []
    const delay = (ms: number) => new Promise<void>((resolve) => void delays.push({ ms, end: resolve }))
    const auth = createAuth(TOKEN, clock.now, delay)
    const bearer = (token: string, ip = IP) => auth.authenticate({ authorization: `Bearer ${token}` }, ip)
    const first: unknown[] = []
    for (let count = 0; count < 5; count++) first.push(await auth.signIn('wrong', IP, {}), await bearer('wrong'))
    t.strictSame(first, Array(10).fill({ kind: 'denied' }))
    t.strictSame(delays, [], 'no response was delayed')
    const others = Array.from({ length: 5 }, () => [bearer('wrong'), auth.signIn('wrong', IP, {})]).flat()
    t.strictSame(await bearer('wrong'), { kind: 'throttled', seconds: 1 }, 'the eleventh at once')
    t.strictSame(await bearer(TOKEN), { kind: 'ok' }, 'a right token')
    t.match(await auth.signIn(TOKEN, IP, {}), { kind: 'ok' }, 'a right token that signs in')
    t.strictSame(await auth.authenticate({}, IP), { kind: 'denied' }, 'a request without a token is no attempt')
    t.strictSame(await bearer('wrong', '192.0.2.2'), { kind: 'denied' }, 'another address does not wait')
    t.strictSame(
      delays.map(({ ms }) => ms),
      new Array(10).fill(1_000),
    )
    for (const { end } of delays) end()
    t.strictSame(await Promise.all(others), Array(10).fill({ kind: 'denied' }))
    clock.pass(60_000)
    t.strictSame(await bearer('wrong'), { kind: 'denied' })
    t.equal(delays.length, 10, 'nothing is delayed after a minute')
  },
)

t.test('endless addresses do not fill the memory, and an IPv6 network is one address', async (t) => {
  const delays: number[] = []
  const auth = createAuth(TOKEN, undefined, async (ms) => void delays.push(ms))
  for (let count = 0; count < 11; count++) await auth.signIn('wrong', `2001:db8::${count}`, {})
  t.equal(delays.length, 1)
  for (let count = 0; count < 999; count++) await auth.signIn('wrong', `192.0.2.1-${count}`, {})
  await auth.signIn('wrong', '2001:db8::1', {})
  t.equal(delays.length, 2, 'still known')
  for (let count = 0; count < 1_000; count++) await auth.signIn('wrong', `192.0.2.2-${count}`, {})
  await auth.signIn('wrong', '2001:db8::1', {})
  t.equal(delays.length, 2, 'forgotten')
})

t.test('the read token gives access and allows no change', async (t) => {
  const tokens = { token: TOKEN, readToken: READ_TOKEN }
  const auth = createAuthOf(tokens)
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  t.strictSame(await auth.authenticate(bearer(READ_TOKEN), IP), { kind: 'ok' })
  t.equal(auth.mayChange(bearer(READ_TOKEN)), false)
  t.strictSame(await auth.authenticate(bearer(TOKEN), IP), { kind: 'ok' })
  t.equal(auth.mayChange(bearer(TOKEN)), true)
  t.equal(auth.mayChange({}), false)
  const cookieFor = async (token: string) => {
    const signedIn = await auth.signIn(token, IP, {})
    return signedIn.kind === 'ok' ? (signedIn.cookie.split(';')[0] ?? '') : ''
  }
  const [reading, changing] = [await cookieFor(READ_TOKEN), await cookieFor(TOKEN)]
  t.strictSame(await auth.authenticate({ cookie: reading }, IP), { kind: 'ok' })
  t.equal(auth.mayChange({ cookie: reading }), false)
  t.equal(auth.mayChange({ cookie: changing }), true)
  const other = createAuthOf({ token: TOKEN, readToken: `${READ_TOKEN}2` })
  t.strictSame(
    await other.authenticate({ cookie: reading }, IP),
    { kind: 'denied' },
    'a new token ends the stays of the old one',
  )
  t.strictSame(await other.authenticate({ cookie: changing }, IP), { kind: 'ok' }, 'and no others')
  t.strictSame(await createAuth(TOKEN).authenticate(bearer(''), IP), { kind: 'denied' }, 'none is no token')
  t.equal(createAuth('').mayChange({}), true, 'without a token everybody may')
})
