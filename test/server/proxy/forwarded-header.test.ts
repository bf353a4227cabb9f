import t from 'tap'
import { createTrustProxy, parseForwarded, readForwarded } from '../../../src/server/guards/forwarding.ts'
import { findFailing } from '../../find-failing.ts'
import { createRandom } from '../../shared/random.ts'

const trust = createTrustProxy('10.0.0.0/8, ::1', () => false) ?? (() => false)
const read = (header: string) => readForwarded(header, trust)
const parse = (header: string) => parseForwarded(header)?.map((element) => Object.fromEntries(element)) ?? null

t.test('the header is parsed as RFC 7239 specifies', async (t) => {
  const headers: [string, unknown][] = [
    ['for=192.0.2.60;proto=http;by=203.0.113.43', [{ for: '192.0.2.60', proto: 'http', by: '203.0.113.43' }]],
    ['For="[2001:db8:cafe::17]:4711"', [{ for: '[2001:db8:cafe::17]:4711' }]],
    ['for=192.0.2.43, FOR=198.51.100.17', [{ for: '192.0.2.43' }, { for: '198.51.100.17' }]],
    ['for=_hidden ; by=_SEVKISEK', [{ for: '_hidden', by: '_SEVKISEK' }]],
    ['host="a\\"b;c,d"', [{ host: 'a"b;c,d' }]],
    ['host=shop.example:8443', [{ host: 'shop.example:8443' }]],
    [' , ;for=1.1.1.1;; ,', [{ for: '1.1.1.1' }]],
    ['', []],
    ...['for', 'for=', '=x', 'for="x', 'for=a b=c', 'for="a"b', 'for=a;for=b', 'a b=c', '"'].map(
      (header): [string, null] => [header, null],
    ),
  ]
  const failing = await findFailing(
    headers,
    ([header]) => parse(header),
    ([, expected]) => expected,
  )
  t.strictSame(failing, [])
})

t.test('any header that is written can be read back', async (t) => {
  const random = createRandom(1)
  for (let round = 0; round < 300; round++) {
    const elements = Array.from({ length: 1 + random.below(4) }, () => {
      const names = ['for', 'by', 'host', 'proto', 'secret'].filter(() => random.below(2) === 1)
      return Object.fromEntries(
        ['for', ...names].map((name) => [name, random.text(random.below(12), 'a1.:[]",;=\\ é')]),
      )
    })
    const header = elements
      .map((element) =>
        Object.entries(element)
          .map(([name, value]) => `${name}="${value.replace(/["\\]/g, '\\$&')}"`)
          .join(random.pick([';', ' ; '])),
      )
      .join(random.pick([',', ', ', ' ,, ']))
    if (JSON.stringify(parse(header)) !== JSON.stringify(elements)) t.fail(header)
  }
})

t.test('the client is the nearest address that is not a trusted proxy', async (t) => {
  const headers: [string, Partial<ReturnType<typeof read>>][] = [
    ['for=192.0.2.1;host=shop.example;proto=https', { for: '192.0.2.1', host: 'shop.example', proto: 'https' }],
    ['for="192.0.2.1:4711"', { for: '192.0.2.1' }],
    ['for="[2001:db8::1]:4711"', { for: '2001:db8::1' }],
    ['for="2001:db8::1"', { for: '2001:db8::1' }],
    // Two proxies. The outer one connects to the inner one by http.
    [
      'for=192.0.2.1;host=a.example;proto=https, for=10.0.0.1;host=b.example;proto=http',
      { host: 'a.example', proto: 'https' },
    ],
    // The client has sent the first element itself.
    [
      'for=10.9.9.9;host=evil.example;proto=http, for=192.0.2.1;host=shop.example',
      { host: 'shop.example', proto: undefined },
    ],
    ['for=10.0.0.1, for=10.0.0.2', { for: '10.0.0.1, 10.0.0.2' }],
    ['for=_hidden', { for: '_hidden' }],
    ['for="192.0.2.1, 10.0.0.1"', { for: 'unknown' }],
    ['for="evil.example"', { for: 'unknown' }],
    ['proto=https', { for: 'unknown', proto: 'https' }],
    ['for="', { for: 'unknown', host: undefined, proto: undefined }],
  ]
  const failing = await findFailing(
    headers,
    // What a line of the table does not name may be anything.
    ([header]) => read(header),
    ([header, expected]) => ({ ...read(header), ...expected }),
  )
  t.strictSame(failing, [])
})

t.test('a header that the client sends cannot forge its address when a proxy adds to it', async (t) => {
  const random = createRandom(2)
  const alphabet = 'for=host;, "\\[]:.10_a'
  for (let round = 0; round < 3_000; round++) {
    const sent =
      random.pick(['', 'for=10.0.0.1;x="', 'for=10.0.0.1,', 'for=6.6.6.6;']) + random.text(random.below(20), alphabet)
    const { for: said } = read(`${sent}, for=192.0.2.1;proto=https`)
    const nearest = said.split(', ').at(-1) ?? ''
    if (!['192.0.2.1', 'unknown'].includes(nearest)) t.fail(JSON.stringify({ sent, said }))
    if (said.split(', ').some((address) => !/^(?:unknown|_[\w.-]+|[\d.]+|[\da-f:.]+)$/.test(address))) t.fail(said)
  }
})

t.test('the time to parse a header grows linearly with its length', async (t) => {
  for (const header of [
    'for="'.repeat(4_000),
    'a'.repeat(16_000),
    ' '.repeat(16_000),
    ';,'.repeat(8_000),
    '\\"'.repeat(8_000),
  ])
    t.ok(read(header).for, header.slice(0, 10))
})
