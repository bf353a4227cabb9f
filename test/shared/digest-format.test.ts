import t from 'tap'
import {
  encodeBase32,
  FINGERPRINT_LENGTH,
  formatDigest,
  OCCURRENCE_LENGTH,
  parseDigest,
} from '../../src/shared/wire/digest-format.ts'
import { DIGEST_PATTERN } from '../digest-pattern.ts'
import { createRandom } from './random.ts'

const parsed = { fingerprint: '7K3M9QZD', occurrence: '0F4XTB' }

t.test('encodes five bits a character, first bit first', async (t) => {
  t.equal(encodeBase32(new Uint8Array(5), 8), '00000000')
  t.equal(encodeBase32(new Uint8Array(5).fill(255), 8), 'ZZZZZZZZ')
  t.equal(encodeBase32(Uint8Array.of(0b00001_000, 0b10_00011_0, 0b0100_0010), 4), '1234')
  t.equal(encodeBase32(Uint8Array.of(0b01010_010, 0b11_01100_0, 0b1101_0111, 0b0_01111_10, 0b000_10001), 8), 'ABCDEFGH')
  t.equal(encodeBase32(new Uint8Array(32).fill(255), 6), 'ZZZZZZ', 'bytes beyond the length do not count')
})

t.test('says the same number as its bytes, whatever they are', async (t) => {
  const random = createRandom(1)
  const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
  const wrong: unknown[] = []
  for (let round = 0; round < 2_000; round++) {
    const bytes = random.bytes(5)
    const text = encodeBase32(bytes, 8)
    const read = [...text].reduce((sum, character) => sum * 32n + BigInt(alphabet.indexOf(character)), 0n)
    const meant = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
    if (read !== meant) wrong.push({ bytes, text })
  }
  t.strictSame(wrong, [])
})

t.test('reads back what it has written', async (t) => {
  const random = createRandom(2)
  const wrong: unknown[] = []
  for (let round = 0; round < 1_000; round++) {
    const fingerprint = encodeBase32(random.bytes(8), FINGERPRINT_LENGTH)
    const occurrence = encodeBase32(random.bytes(8), OCCURRENCE_LENGTH)
    const digest = formatDigest(fingerprint, occurrence)
    const read = parseDigest(digest)
    if (!DIGEST_PATTERN.test(digest) || read?.fingerprint !== fingerprint || read.occurrence !== occurrence)
      wrong.push(digest)
  }
  t.strictSame(wrong, [])
})

t.test('reads a digest however it is typed', async (t) => {
  const random = createRandom(3)
  const wrong: unknown[] = []
  for (let round = 0; round < 1_000; round++) {
    const digest = formatDigest(encodeBase32(random.bytes(8), 8), encodeBase32(random.bytes(8), 6))
    const typed = [...digest]
      .map((character) => {
        if (character === '-') return random.pick(['-', '', ' ', ' - '])
        const similar =
          character === '1' ? random.pick(['1', 'I', 'L']) : character === '0' ? random.pick(['0', 'O']) : character
        const cased = random.below(2) ? similar.toLowerCase() : similar
        return random.below(8) ? cased : `${cased} `
      })
      .join('')
    const around =
      random.pick(['', ' ', '\t', '\n', 'Digest: ', 'digest:', ' Digest:  ']) + typed + random.pick(['', ' ', '\r\n'])
    const read = parseDigest(around)
    if (!read || formatDigest(read.fingerprint, read.occurrence ?? '') !== digest) wrong.push(around)
  }
  t.strictSame(wrong, [])
})

t.test('takes what people write', async (t) => {
  for (const typed of [
    '7K3M9QZD-0F4XTB',
    '7k3m9qzd-0f4xtb',
    '7k3m9qzd0f4xtb',
    ' 7K3M 9QZD - 0F4X TB ',
    '7K3M9QZD-OF4XTB',
    'Digest: 7K3M9QZD-0F4XTB',
    'digest:7k3m9qzd-of4xtb',
  ]) {
    t.strictSame(parseDigest(typed), parsed, JSON.stringify(typed))
  }
  t.strictSame(parseDigest('iLoi-LOil'), { fingerprint: '11011011' }, 'the first half alone')
  t.strictSame(parseDigest('Digest: 7K3M9QZD'), { fingerprint: '7K3M9QZD' })
})

t.test('returns null for what is no digest', async (t) => {
  for (const typed of [
    '',
    ' ',
    'Digest:',
    '7K3M9QZ',
    '7K3M9QZD-',
    '7K3M9QZD-0F4XT',
    '7K3M9QZD-0F4XTBB',
    '7K3M9QZU-0F4XTB',
    '7K3M9QZD-0F4XT!',
    '7K3M9QZD_0F4XTB',
    'Digest: Digest: 7K3M9QZD-0F4XTB',
    '７K3M9QZD-0F4XTB',
    'x'.repeat(100_000),
  ]) {
    const read = parseDigest(typed)
    // The first half is a digest by itself, with its hyphen or without.
    if (typed === '7K3M9QZD-') t.strictSame(read, { fingerprint: '7K3M9QZD' })
    else t.equal(read, null, JSON.stringify(typed.slice(0, 40)))
  }
})

t.test('the pattern takes capitals of the alphabet only', async (t) => {
  t.match('7K3M9QZD-0F4XTB', DIGEST_PATTERN)
  for (const wrong of [
    '7k3m9qzd-0f4xtb',
    '7K3M9QZI-0F4XTB',
    '7K3M9QZD0F4XTB',
    '7K3M9QZD-0F4XTB\n',
    'x7K3M9QZD-0F4XTB',
  ]) {
    t.notMatch(wrong, DIGEST_PATTERN)
  }
})
