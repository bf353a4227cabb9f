// Redaction of random texts, which consist of the words that redaction searches for and of those that it writes.

import t from 'tap'
import { createRedactor, redactorOf } from '../../../src/server/redaction/redact.ts'
import { findFailing } from '../../find-failing.ts'
import { createRandom, type Random } from '../../shared/random.ts'
import { countWork } from '../../work.ts'

const HIDDEN = '[hidden]'
const NAMED = ['://', ':', '@', '/', 'bearer ', 'Basic\t', '?token=', '&code=', '%3Fsecret%3D', '=', ';', '#', ' ', '"']
const PLAIN = ['a', 'b', 'aa', 'hid', 'den', '[', ']', ...partsOf(HIDDEN), 'aaaaaaaa', '\ud83d\udca7', 'ü']

function partsOf(text: string): string[] {
  return [...text].flatMap((_, from) => [...text].map((_, length) => text.slice(from, from + length + 1)))
}

function made(words: readonly [string, ...string[]], length: number, random: Random): string {
  let text = ''
  while (text.length < length) text += random.pick(words)
  return text.slice(0, length)
}

type Words = [string, ...string[]]
const plain: Words = ['a', ...PLAIN]
const all: Words = ['a', ...PLAIN, ...NAMED]

/** Creates secrets: some are parts of the text, some are not. */
function secretsFor(text: string, count: number, random: Random): string[] {
  return Array.from({ length: count }, () => {
    const length = 6 + random.below(random.below(8) === 0 ? 60 : 8)
    const from = random.below(text.length)
    const part = text.slice(from, from + length)
    return random.below(3) > 0 && part.length === length ? part : made(plain, length, random)
  })
}

/** A simple and slow implementation to compare with. */
function hideSlowly(text: string, secrets: readonly string[]): string {
  const isHidden = Array.from({ length: text.length }, () => false)
  for (const secret of secrets)
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1))
      isHidden.fill(true, at, at + secret.length)
  return isHidden.map((hidden, at) => (!hidden ? text[at] : isHidden[at - 1] ? '' : HIDDEN)).join('')
}

t.test('hides each occurrence of each secret, overlapping ones included, and nothing else', async (t) => {
  const random = createRandom(1)
  for (let round = 0; round < 2_000; round++) {
    const text = made(plain, 1 + random.below(120), random)
    const secrets = secretsFor(text, 1 + random.below(30), random)
    const shown = redactorOf(secrets)(text, { maxLength: 1_000 })
    if (shown !== hideSlowly(text, secrets))
      t.equal(shown, hideSlowly(text, secrets), JSON.stringify({ text, secrets }))
  }
})

t.test('no text becomes longer than three times its length', async (t) => {
  const random = createRandom(2)
  for (let round = 0; round < 1_000; round++) {
    const text = made(all, 1 + random.below(3_000), random)
    const secrets = secretsFor(text, random.below(60), random)
    const redact = random.below(2) === 0 ? redactorOf(secrets) : createRedactor({ cookie: secrets.join(';') })
    const { length } = redact(text)
    if (length > 3 * Math.min(text.length, 2_000) + 1) t.fail(JSON.stringify({ text, secrets }))
  }
})

t.test('no part stays of a secret that the cut goes through, wherever the cut is', async (t) => {
  const random = createRandom(3)
  const secretSigns: Words = ['S', 'T', 'U', 'ST']
  for (let round = 0; round < 2_000; round++) {
    const secrets = Array.from({ length: 4 }, () => made(secretSigns, 6 + random.below(300), random))
    const parts = Array.from(
      { length: 5 },
      () => 'x'.repeat(random.below(40)) + random.pick(['x', ...secrets] as Words),
    )
    const text = parts.join('x')
    const whole = redactorOf(secrets)(text, { maxLength: random.below(text.length + 20) })
    // A text of exactly this length was cut before.
    const length = 1 + random.below(text.length)
    const before = redactorOf(secrets)(text.slice(0, length), { maxLength: length })
    if (/[STU]{6}/.test(before) || /[STU]/.test(whole)) t.fail(JSON.stringify({ whole, before, secrets }))
  }
})

t.test('no part stays of a visitor’s word that the cut goes through', async (t) => {
  const redact = redactorOf([], new Set(['Winterbottom']))
  const text = 'there is no customer Winterbottom here'
  const lengths = Array.from({ length: 40 }, (_, length) => length)
  const shown = (maxLength: number) => /.*Wi.*/.exec(redact(text, { maxLength }))?.[0]
  t.strictSame(await findFailing(lengths, shown), [])
})

t.test('the work is linear in the length of text and secrets, for any input', async (t) => {
  const random = createRandom(4)
  const inputs: Record<string, (size: number) => { text: string; secrets: string[] }> = {
    'one letter': (size) => ({
      text: 'a'.repeat(size),
      secrets: Array.from({ length: Math.sqrt(size) }, (_, n) => 'a'.repeat(6 + n)),
    }),
    'nearly there': (size) => ({
      text: 'a'.repeat(size),
      secrets: Array.from({ length: size / 50 }, (_, n) => `${'a'.repeat(45)}${1_000 + n}`),
    }),
    'words of its own': (size) => {
      const text = made(plain, size, random)
      return { text, secrets: secretsFor(text, size / 10, random) }
    },
    'all parts of the text': (size) => {
      const text = made(plain, size, random)
      return { text, secrets: Array.from({ length: size / 8 }, (_, n) => text.slice(n, n + 8)) }
    },
    'many that are not there': (size) => ({
      text: made(plain, size, random),
      secrets: Array.from({ length: size / 10 }, (_, n) => `x${1_000_000 + n}`),
    }),
    ...Object.fromEntries(
      [
        '://',
        '://a:',
        ':@',
        '://:@',
        'bearer ',
        'basic\n',
        '?token=',
        '?a',
        '%26',
        '&%26a',
        '%25',
        '%2525253D',
        '%3Fa%253D',
        '?a%3D',
        '?%2574oken%3D',
        '%253Ftoken%253D%2526',
        'aB',
        '?token=%26',
        'a-',
        '"',
      ].map((word) => [`only ${word}`, (size: number) => ({ text: word.repeat(size / word.length), secrets: [] })]),
    ),
  }
  const failing = await findFailing(Object.entries(inputs), ([, make]) => {
    const [small, large] = [4_000, 16_000].map((size) => {
      const { text, secrets } = make(size)
      return countWork(() => redactorOf([...new Set(secrets)])(text, { maxLength: 1_000_000 }))
    }) as [number, number]
    return large < 5.5 * small && large < 16_000 * 60 ? undefined : { small, large }
  })
  t.strictSame(failing, [], 'the steps for a text, and for one that is four times as long')
})

t.test('a text is cut before it is searched', async (t) => {
  const redact = createRedactor({ cookie: 'a=secret-of-mine' })
  const [short, long] = [10_000, 10_000_000].map((length) =>
    countWork(() => redact('?token=secret-of-mine '.repeat(length / 20))),
  ) as [number, number]
  t.ok(long <= short * 1.1, `${long} steps, ${short} for a thousandth of it`)
})
