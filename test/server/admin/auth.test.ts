import t from 'tap'
import { type Auth, createAuth as createDoorOf } from '../../../src/server/admin/auth.ts'

const TOKEN = 'correct-horse-battery'
const READ_TOKEN = 'only-for-reading-it'
const IP = '192.0.2.1'

type Rest = Parameters<typeof createDoorOf> extends [unknown, ...infer Others] ? Others : never
const createDoor = (token: string, ...rest: Rest): Auth => createDoorOf({ token, readToken: '' }, ...rest)

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
  t.strictSame(await createDoor('').judge({}, IP), { kind: 'in' })
})

t.test('with a token only clients that send it have access', async (t) => {
  const door = createDoor(TOKEN)
  t.strictSame(await door.judge({ authorization: `Bearer ${TOKEN}` }, IP), { kind: 'in' })
  t.strictSame(await door.judge({ authorization: `bearer  ${TOKEN}` }, IP), { kind: 'in' })
  for (const authorization of [
    undefined,
    '',
    TOKEN,
    `Basic ${TOKEN}`,
    `Bearer ${TOKEN}x`,
    'Bearer ',
    `Bearer x ${TOKEN}`,
  ])
    t.strictSame(
      await door.judge(authorization === undefined ? {} : { authorization }, IP),
      { kind: 'out' },
      String(authorization),
    )
})

t.test('signing in gives a cookie that lasts and does not contain the token', async (t) => {
  const clock = createClock()
  const door = createDoor(TOKEN, clock.now)
  const signedIn = await door.signIn(` ${TOKEN}\n`, IP, {})
  const set = signedIn.kind === 'in' ? signedIn.cookie : ''
  t.match(set, /; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/)
  t.notOk(set.includes(TOKEN))
  const [cookie = ''] = set.split(';')
  t.strictSame(await door.judge({ cookie: `a=b; ${cookie}; c=d` }, IP), { kind: 'in' })
  t.strictSame(await createDoor(TOKEN, clock.now).judge({ cookie }, IP), { kind: 'in' }, 'on another replica')
  t.strictSame(await createDoor(`${TOKEN}2`, clock.now).judge({ cookie }, IP), { kind: 'out' }, 'not for another token')
  const [, until = ''] = /=(\d+)/.exec(cookie) ?? []
  const longer = cookie.replace(until, String(Number(until) + 1))
  t.strictSame(await door.judge({ cookie: longer }, IP), { kind: 'out' }, 'it cannot be made to last longer')
  clock.pass(12 * 3_600_000)
  t.strictSame(await door.judge({ cookie }, IP), { kind: 'out' }, 'after twelve hours')
  t.match(door.signOut({}), /=; Max-Age=0; Path=\/; HttpOnly/)
})

t.test('a cookie that was set over https stays on https', async (t) => {
  const door = createDoor(TOKEN)
  for (const headers of [
    { origin: 'https://ops.example' },
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-proto': 'https, http' },
    { forwarded: 'for=192.0.2.1;proto=https;host=ops.example' },
    { forwarded: 'proto="https", for=10.0.0.1' },
  ]) {
    const signedIn = await door.signIn(TOKEN, IP, headers)
    t.match(signedIn, { kind: 'in', cookie: /; SameSite=Strict; Secure$/ }, JSON.stringify(headers))
    t.match(door.signOut(headers), /; Secure$/)
  }
  for (const headers of [
    {},
    { origin: 'http://localhost:9320' },
    { origin: 'null' },
    { 'x-forwarded-proto': 'http, https' },
    { forwarded: 'proto=http, proto=https' },
  ]) {
    const signedIn = await door.signIn(TOKEN, IP, headers)
    t.match(signedIn, { kind: 'in', cookie: /SameSite=Strict$/ }, JSON.stringify(headers))
  }
})

t.test('after ten wrong tokens an address’s attempts are checked later, and others’ are not', async (t) => {
  const clock = createClock()
  const delays: { ms: number; end(): void }[] = []
  const delay = (ms: number) => new Promise<void>((resolve) => void delays.push({ ms, end: resolve }))
  const door = createDoor(TOKEN, clock.now, delay)
  const bearer = (token: string, ip = IP) => door.judge({ authorization: `Bearer ${token}` }, ip)
  for (let count = 0; count < 5; count++) {
    t.strictSame(await door.signIn('wrong', IP, {}), { kind: 'out' })
    t.strictSame(await bearer('wrong'), { kind: 'out' })
  }
  t.strictSame(delays, [], 'nobody has waited')
  const right = door.signIn(TOKEN, IP, {})
  const others = Array.from({ length: 9 }, () => bearer('wrong'))
  t.strictSame(await bearer(TOKEN), { kind: 'wait', seconds: 1 }, 'the eleventh at once')
  t.strictSame(await door.judge({}, IP), { kind: 'out' }, 'who says nothing has not tried')
  t.strictSame(await bearer(TOKEN, '192.0.2.2'), { kind: 'in' }, 'another address does not wait')
  t.strictSame(
    delays.map(({ ms }) => ms),
    new Array(10).fill(1_000),
  )
  for (const { end } of delays) end()
  const signedIn = await right
  t.equal(signedIn.kind, 'in', 'the right one is let in, if later')
  for (const other of await Promise.all(others)) t.strictSame(other, { kind: 'out' })
  const [cookie = ''] = signedIn.kind === 'in' ? signedIn.cookie.split(';') : []
  t.strictSame(await door.judge({ cookie }, IP), { kind: 'in' }, 'who is in does not wait')
  clock.pass(60_000)
  t.strictSame(await bearer(TOKEN), { kind: 'in' }, 'nor does anybody after a minute')
})

t.test('endless addresses do not fill the memory, and an IPv6 network is one address', async (t) => {
  const delays: number[] = []
  const door = createDoor(TOKEN, undefined, async (ms) => void delays.push(ms))
  for (let count = 0; count < 11; count++) await door.signIn('wrong', `2001:db8::${count}`, {})
  t.equal(delays.length, 1)
  for (let count = 0; count < 999; count++) await door.signIn('wrong', `192.0.2.1-${count}`, {})
  await door.signIn('wrong', '2001:db8::1', {})
  t.equal(delays.length, 2, 'still known')
  for (let count = 0; count < 1_000; count++) await door.signIn('wrong', `192.0.2.2-${count}`, {})
  await door.signIn('wrong', '2001:db8::1', {})
  t.equal(delays.length, 2, 'forgotten')
})

t.test('the read token gives access and allows no change', async (t) => {
  const tokens = { token: TOKEN, readToken: READ_TOKEN }
  const door = createDoorOf(tokens)
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  t.strictSame(await door.judge(bearer(READ_TOKEN), IP), { kind: 'in' })
  t.equal(door.mayChange(bearer(READ_TOKEN)), false)
  t.strictSame(await door.judge(bearer(TOKEN), IP), { kind: 'in' })
  t.equal(door.mayChange(bearer(TOKEN)), true)
  t.equal(door.mayChange({}), false)
  const cookieFor = async (token: string) => {
    const signedIn = await door.signIn(token, IP, {})
    return signedIn.kind === 'in' ? (signedIn.cookie.split(';')[0] ?? '') : ''
  }
  const [reading, changing] = [await cookieFor(READ_TOKEN), await cookieFor(TOKEN)]
  t.strictSame(await door.judge({ cookie: reading }, IP), { kind: 'in' })
  t.equal(door.mayChange({ cookie: reading }), false)
  t.equal(door.mayChange({ cookie: changing }), true)
  const other = createDoorOf({ token: TOKEN, readToken: `${READ_TOKEN}2` })
  t.strictSame(await other.judge({ cookie: reading }, IP), { kind: 'out' }, 'a new token ends the stays of the old one')
  t.strictSame(await other.judge({ cookie: changing }, IP), { kind: 'in' }, 'and no others')
  t.strictSame(await createDoor(TOKEN).judge(bearer(''), IP), { kind: 'out' }, 'none is no token')
  t.equal(createDoor('').mayChange({}), true, 'without a token everybody may')
})
