import t from 'tap'
import { createTrustProxy } from '../../../src/server/guards/forwarding.ts'
import { isAddressRange, isPrivateAddress } from '../../../src/server/util/addresses.ts'
import { findFailing } from '../../find-failing.ts'

t.test('a list trusts the addresses that it names', async (t) => {
  const cases = [
    ['loopback', '127.0.0.1', true],
    ['loopback', '127.1.2.3', true],
    ['loopback', '::1', true],
    ['loopback', '::ffff:127.0.0.1', true],
    ['loopback', '10.0.0.1', false],
    ['uniquelocal', '192.168.1.1', true],
    ['uniquelocal', 'fd00::1', true],
    ['linklocal', 'fe80::1%eth0', true],
    ['10.0.0.0/8, 192.0.2.1', '10.255.0.1', true],
    ['10.0.0.0/8, 192.0.2.1', '192.0.2.1', true],
    ['10.0.0.0/8, 192.0.2.1', '192.0.2.2', false],
    ['2001:db8::/32', '2001:db8:1::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['127.0.0.1', 'unknown', false],
    ['127.0.0.1', '', false],
    ['127.0.0.1', '127.0.0.1.evil', false],
  ] as const
  t.strictSame(
    await findFailing(
      cases,
      ([trusted, address]) => createTrustProxy(trusted, () => false)?.(address, 0),
      ([, , expected]) => expected,
    ),
    [],
  )
  t.equal(createTrustProxy(['127.0.0.1', ' ::1 '], () => false)?.('::1', 0), true)
  t.equal(
    createTrustProxy(false, () => true),
    null,
  )
  t.equal(
    createTrustProxy(
      (address, hop) => address === 'a' && hop === 1,
      () => false,
    )?.('a', 1),
    true,
  )
})

t.test('cached results are the same', async (t) => {
  const trust = createTrustProxy('10.0.0.0/24', () => false)
  const addresses = Array.from({ length: 3_000 }, (_, count) => `10.0.${Math.floor(count / 250)}.${count % 250}`)
  for (let round = 0; round < 2; round++) {
    const wrong = addresses.filter((address) => trust?.(address, 0) !== address.startsWith('10.0.0.'))
    t.strictSame(wrong, [])
  }
})

t.test(
  'a peer without an address is this machine when the server listens on a socket file, and nobody otherwise',
  async (t) => {
    for (const [trusted, onFile, expected] of [
      ['loopback', true, true],
      ['127.0.0.1', true, true],
      ['10.0.0.1', true, false],
      ['loopback', false, false],
      [true, false, true],
    ] as const)
      t.equal(createTrustProxy(trusted, () => onFile)?.(undefined, 0), expected, `${trusted} ${onFile}`)
  },
)

t.test('only addresses and subnets can be trusted', async (t) => {
  for (const text of ['loopback', '10.0.0.0/8', '::1', '::/1', '1.2.3.4/32']) t.ok(isAddressRange(text), text)
  const others = ['', 'constructor', '1', '10.0.0.0/0', '10.0.0.0/33', '::/129', '1.2.3', 'a/8', '::1/', '/8']
  t.strictSame(others.filter(isAddressRange), [])
})

t.test('loopback, link-local and private addresses are private', async (t) => {
  for (const address of ['127.0.0.1', '::1', '172.17.0.1', 'fe80::1', '::ffff:10.0.0.1'])
    t.ok(isPrivateAddress(address), address)
  for (const address of ['203.0.113.1', '2001:db8::1', 'x', '']) t.notOk(isPrivateAddress(address), address)
})
