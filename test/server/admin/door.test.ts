import t from 'tap'
import { createDoor } from '../../../src/server/admin/door.ts'

const TOKEN = 'correct-horse-battery'
const IP = '192.0.2.1'

function createClock() {
  let time = 1_000_000
  return {
    now: () => time,
    pass(ms: number) {
      time += ms
    },
  }
}

t.test('lets everybody in without a token', async (t) => {
  t.strictSame(createDoor('').judge({}, IP), { kind: 'in' })
})

t.test('lets in who sends the token, and nobody else', async (t) => {
  const door = createDoor(TOKEN)
  t.strictSame(door.judge({ authorization: `Bearer ${TOKEN}` }, IP), { kind: 'in' })
  t.strictSame(door.judge({ authorization: `bearer  ${TOKEN}` }, IP), { kind: 'in' })
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
      door.judge(authorization === undefined ? {} : { authorization }, IP),
      { kind: 'out' },
      String(authorization),
    )
})

t.test('signing in gives a cookie that lasts, and that does not hold the token', async (t) => {
  const clock = createClock()
  const door = createDoor(TOKEN, clock.now)
  const signedIn = door.signIn(` ${TOKEN}\n`, IP)
  const set = signedIn.kind === 'in' ? signedIn.cookie : ''
  t.match(set, /; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/)
  t.notOk(set.includes(TOKEN))
  const [cookie = ''] = set.split(';')
  t.strictSame(door.judge({ cookie: `a=b; ${cookie}; c=d` }, IP), { kind: 'in' })
  t.strictSame(createDoor(TOKEN, clock.now).judge({ cookie }, IP), { kind: 'in' }, 'on another replica')
  t.strictSame(createDoor(`${TOKEN}2`, clock.now).judge({ cookie }, IP), { kind: 'out' }, 'not for another token')
  const [, until = ''] = /=(\d+)/.exec(cookie) ?? []
  const longer = cookie.replace(until, String(Number(until) + 1))
  t.strictSame(door.judge({ cookie: longer }, IP), { kind: 'out' }, 'it cannot be made to last longer')
  clock.pass(12 * 3_600_000)
  t.strictSame(door.judge({ cookie }, IP), { kind: 'out' }, 'after twelve hours')
  t.match(door.signOut(), /=; Max-Age=0; Path=\/; HttpOnly/)
})

t.test('after ten wrong tokens an address waits, also with the right one', async (t) => {
  const clock = createClock()
  const door = createDoor(TOKEN, clock.now)
  for (let count = 0; count < 5; count++) {
    t.strictSame(door.signIn('wrong', IP), { kind: 'out' })
    t.strictSame(door.judge({ authorization: 'Bearer wrong' }, IP), { kind: 'out' })
  }
  t.strictSame(door.signIn(TOKEN, IP), { kind: 'wait', seconds: 60 })
  t.strictSame(door.judge({ authorization: `Bearer ${TOKEN}` }, IP), { kind: 'wait', seconds: 60 })
  t.strictSame(door.judge({}, IP), { kind: 'out' }, 'who says nothing has not tried')
  t.equal(door.signIn(TOKEN, '192.0.2.2').kind, 'in', 'another address does not wait')
  clock.pass(60_000)
  t.equal(door.signIn(TOKEN, IP).kind, 'in')
})
