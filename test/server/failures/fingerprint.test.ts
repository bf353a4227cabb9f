import t from 'tap'
import { fingerprintOf, maskMessage } from '../../../src/server/failures/fingerprint.ts'
import { createOccurrence } from '../../../src/server/failures/request-failures.ts'
import { formatDigest } from '../../../src/shared/wire/digest-format.ts'
import { DIGEST_PATTERN } from '../../digest-pattern.ts'
import { findFailing } from '../../find-failing.ts'
import { createRandom, type Random } from '../../shared/random.ts'

const frames = [
  { file: 'lib/products.ts', function: 'find' },
  { file: 'pages/products/[id].server.ts', function: 'load' },
]
const parts = { type: 'Error', message: 'no such product', frames }

t.test('any parts make a well-formed digest', async (t) => {
  const random = createRandom(11)
  const alphabet = 'aZ0"\'\\:/()[]\n\u0000\u2028é漢😀 '
  const wrong: string[] = []
  for (let round = 0; round < 1_000; round++) {
    const text = () => random.text(random.below(30), alphabet)
    const places = Array.from({ length: random.below(4) }, () => ({ file: text(), function: text() }))
    const digest = formatDigest(fingerprintOf({ type: text(), message: text(), frames: places }), createOccurrence())
    if (!DIGEST_PATTERN.test(digest)) wrong.push(digest)
  }
  t.strictSame(wrong, [])
})

t.test('the fingerprint is the same wherever and whenever it is computed', async (t) => {
  // A constant: replicas of different releases must compute the same fingerprint.
  t.equal(
    fingerprintOf({ type: 'Error', message: 'x', frames: [] }),
    fingerprintOf({ type: 'Error', message: 'x', frames: [] }),
  )
  t.match(fingerprintOf(parts), /^[0-9A-HJKMNP-TV-Z]{8}$/)
})

t.test('each part changes the fingerprint', async (t) => {
  const fingerprints = [
    parts,
    { ...parts, type: 'TypeError' },
    { ...parts, message: 'no such customer' },
    { ...parts, message: '' },
    { ...parts, frames: [] },
    { ...parts, frames: frames.slice(1) },
    { ...parts, frames: frames.toReversed() },
    { ...parts, frames: [{ file: 'lib/products.ts', function: 'list' }, ...frames.slice(1)] },
    { ...parts, frames: [{ file: 'lib/customers.ts', function: 'find' }, ...frames.slice(1)] },
    { ...parts, frames: [{ file: 'lib/products.ts:find', function: '' }, ...frames.slice(1)] },
    { ...parts, frames: [...frames, { file: 'pages/index.server.ts', function: 'load' }] },
  ].map((one) => fingerprintOf(one))
  t.equal(new Set(fingerprints).size, fingerprints.length)
})

t.test('the fingerprints of browsers and of the server never coincide', async (t) => {
  const random = createRandom(12)
  const firsts = { server: new Set<string>(), client: new Set<string>() }
  for (let round = 0; round < 2_000; round++) {
    const message = random.text(8, 'ghjkm')
    for (const side of ['server', 'client'] as const)
      firsts[side].add(fingerprintOf({ ...parts, message, side }).charAt(0))
  }
  t.equal([...firsts.server].sort().join(''), '0123456789ABCDEF')
  t.equal([...firsts.client].sort().join(''), 'GHJKMNPQRSTVWXYZ')
})

t.test('a key changes the fingerprints, in the same way each time', async (t) => {
  for (const side of ['server', 'client'] as const) {
    const fingerprints = ['', 'a key of 16 signs', 'a key of 16 sign5'].map((key) =>
      fingerprintOf({ ...parts, side, key }),
    )
    t.equal(new Set(fingerprints).size, 3)
    t.equal(fingerprints[0], fingerprintOf({ ...parts, side }))
    t.equal(fingerprints[1], fingerprintOf({ ...parts, side, key: 'a key of 16 signs' }))
    const signs = side === 'server' ? /^[0-9A-F]/ : /^[G-Z]/
    t.strictSame(
      fingerprints.filter((fingerprint) => !signs.test(fingerprint)),
      [],
    )
  }
})

const HEX = '0123456789abcdef'

// Values that differ between requests, in messages.
const VALUES: Record<string, (random: Random) => string> = {
  'a UUID': (random) => [8, 4, 4, 4, 12].map((length) => random.text(length, HEX)).join('-'),
  'a UUID in capitals': (random) =>
    [8, 4, 4, 4, 12]
      .map((length) => random.text(length, HEX))
      .join('-')
      .toUpperCase(),
  'an ObjectId': (random) => `6${random.text(23, HEX)}`,
  'a ULID': (random) => `01${random.text(24, '0123456789ABCDEFGHJKMNPQRSTVWXYZ')}`,
  'a SHA-256': (random) => `a1${random.text(62, HEX)}`,
  'a short hash': (random) => `9${random.text(6, HEX)}`,
  'a key with a prefix': (random) => `cus_9${random.text(17, 'abcXYZ0123456789')}`,
  'a whole number': (random) => String(random.below(10 ** (1 + random.below(9)))),
  'a decimal': (random) => `${random.below(1000)}.${random.below(1000)}`,
  'a number with separators': (random) => `${1 + random.below(999)},${random.text(3, '123456789')}`,
  'a duration': (random) => `${random.below(100_000)}ms`,
  'a time of day': (random) => `${10 + random.below(14)}:${10 + random.below(50)}:${10 + random.below(50)}`,
  'an ISO date': (random) => new Date(random.below(2_000_000_000) * 1000).toISOString(),
  'an IPv4 address': (random) => Array.from({ length: 4 }, () => random.below(256)).join('.'),
  'an address with a port': (random) => `127.0.0.1:${1024 + random.below(60_000)}`,
  'a hexadecimal number': (random) => `0x${random.below(2 ** 31).toString(16)}`,
  'a value in double quotes': (random) => `"${random.text(random.below(20), 'ab c1-/\\')}"`,
  'a value in single quotes': (random) => `'${random.text(random.below(20), 'ab c1-/\\')}'`,
  'a value in backticks': (random) => `\`${random.text(random.below(20), 'ab c1-/\\')}\``,
  'a value in typographic quotes': (random) => `“${random.text(random.below(20), 'ab c1-/\\')}”`,
  'a list of the parameters of a query': (random) =>
    `Failed query: select $1\nparams: ${random.text(random.below(20), "ab c1-/'\n,")}`,
  'a negative number': (random) => String(random.below(200) - 100),
}

const SENTENCES = [
  'product %s is gone',
  '%s',
  'cannot read %s',
  'at /orders/%s/items: failed',
  'order=%s;',
  '(%s)',
  'no %s.',
]

for (const [name, create] of Object.entries(VALUES)) {
  t.test(`${name} in a message does not count`, async (t) => {
    const random = createRandom(12)
    const failing = await findFailing(SENTENCES, (sentence) => {
      const messages = new Map<string, string>()
      for (let round = 0; round < 200; round++) {
        const message = sentence.replace('%s', () => create(random))
        messages.set(fingerprintOf({ ...parts, message }), message)
      }
      return messages.size === 1 ? undefined : [...messages.values()].slice(0, 3)
    })
    t.strictSame(failing, [])
  })
}

t.test('words of a message count', async (t) => {
  const messages = [
    'no such product',
    'no such customer',
    'product 5 is gone',
    'product 5 is back',
    'connect ECONNREFUSED 127.0.0.1:5432',
    'connect ETIMEDOUT 127.0.0.1:5432',
    "Cannot read properties of undefined (reading 'id')",
    "Cannot read properties of null (reading 'id')",
    'x is not defined',
    'y is not defined',
    'deadbeef is a word',
    'facade is a word',
  ]
  t.equal(new Set(messages.map((message) => fingerprintOf({ ...parts, message }))).size, messages.length)
})

t.test('masks nothing else', async (t) => {
  const messages = ['', 'plain words', "don't", 'it isn’t', 'a-b_c', 'décembre', '漢字', '50%'.slice(2)]
  t.strictSame(await findFailing(messages, maskMessage, (message) => message), [])
})

t.test('masking a long message takes linear time', async (t) => {
  // Each of these texts made a careless pattern take minutes.
  const failing = await findFailing(
    ['"', "'a", '1', '1.', 'a1-', '-', 'a', '\n', '“', '0x'],
    (hostile) => {
      const message = hostile.repeat(2_000 / hostile.length)
      return [typeof maskMessage(message), typeof maskMessage(`${message}!`)]
    },
    () => ['string', 'string'],
  )
  t.strictSame(failing, [])
})

t.test('quotations that are not closed, and words that are not ids, stay', async (t) => {
  const messages = [
    ['“a” and “b', '? and “b'],
    ['‘“x” b', '‘? b'],
    ['it\'s "x', 'it\'s "x'],
    ['”“ a ” ‘', '”? ‘'],
    ['-abcdefghijklmnop1-', '-#-'],
    ['well-known-names-of-things', 'well-known-names-of-things'],
    ['a-1', 'a#'],
    ['--item--', '--item--'],
  ] as const
  const failing = await findFailing(
    messages,
    ([message]) => maskMessage(message),
    ([, masked]) => masked,
  )
  t.strictSame(failing, [])
})
