import t from 'tap'
import { createRateLimit } from '../../../src/server/guards/request-limits.ts'

t.test('a bucket allows the requests of one minute at once, and refills evenly', async (t) => {
  let now = 0
  const isWithin = createRateLimit({ maxPerAddress: 4, maxTotal: 6 }, () => now)
  const count = (address: string) => Array.from({ length: 10 }, () => isWithin(address)).filter(Boolean).length
  t.equal(count('a'), 4)
  t.equal(count('b'), 2, 'six from all addresses together')
  now += 15_000
  t.equal(count('a'), 1, 'one of four after a quarter of a minute')
  now += 3_600_000
  t.equal(count('a'), 4, 'never more than those of one minute')
})

t.test('a limit of 0 allows no request', async (t) => {
  t.notOk(createRateLimit({ maxPerAddress: 0, maxTotal: 10 })('a'))
})

t.test('the number of remembered addresses is bounded, and the latest are remembered', async (t) => {
  let now = 0
  const isWithin = createRateLimit({ maxPerAddress: 1, maxTotal: 1e9 }, () => now++ / 1e6)
  for (let count = 0; count < 20_000; count++) isWithin(`address ${count}`)
  t.notOk(isWithin('address 19999'), 'still known')
  t.ok(isWithin('address 0'), 'forgotten')
})

t.test('an IPv6 network counts as one address', async (t) => {
  const isWithin = createRateLimit({ maxPerAddress: 2, maxTotal: 100 }, () => 0)
  const taken = Array.from({ length: 10 }, (_, index) => isWithin(`2001:db8::${index}`))
  t.equal(taken.filter(Boolean).length, 2)
  t.ok(isWithin('2001:db8:0:1::1'), 'another network')
  t.ok(isWithin('192.0.2.1'))
  t.ok(isWithin('::ffff:192.0.2.1'))
  t.notOk(isWithin('192.0.2.1'), 'the same address')
})

t.test('connections without an address count as one', async (t) => {
  const isWithin = createRateLimit({ maxPerAddress: 1, maxTotal: 100 }, () => 0)
  t.ok(isWithin(undefined))
  t.notOk(isWithin(undefined))
  t.ok(isWithin('192.0.2.1'))
})
