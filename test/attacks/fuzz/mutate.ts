// Creates unusual inputs from usual ones.

import type { Random } from '../../shared/random.ts'

/** A page must never contain the first character of this text unescaped. */
export const CANARY = '<x7canary a="\'">'
/** The beginning of a response header that a request has injected. */
export const INJECTED = 'x7injected'

const WORDS: readonly [string, ...string[]] = [
  CANARY,
  encodeURIComponent(CANARY),
  `\r\n${INJECTED}: 1`,
  `%0d%0a${INJECTED}:%201`,
  `\u010d\u010a${INJECTED}: 1`,
  '\r\n\r\n',
  '\r',
  '\n',
  '\0',
  '%00',
  '%',
  '%zz',
  '%c0%ae',
  '%ff%fe',
  '%u002e',
  '../',
  '..%2f',
  '//',
  '\\',
  '?',
  '#',
  ';',
  ',',
  '=',
  '&',
  '"',
  "'",
  '--',
  '*/*',
  'q=',
  'q=-1',
  'q=1e309',
  '__proto__',
  'constructor',
  'toString',
  '[]',
  '{}',
  '[[[[',
  'null',
  '1e999',
  '-0',
  '\u0085',
  '\u00ff',
  ' ',
  '\t',
  ':',
  '@',
  '[::1]',
  'localhost',
  'evil.example',
  '0x',
  '99999999999999999999',
  '-1',
  'chunked',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 5\r\n',
  'Content-Encoding: gzip\r\n',
  'Expect: 100-continue\r\n',
  'Host: evil.example\r\n',
  '?_hydrant',
  '/_hydrant/assets/',
  'multipart/form-data; boundary=',
]
const MAX_LENGTH = 20_000

/** Changes a text in one to six places. `others` provide pieces of text. */
export function mutate(text: string, others: readonly [string, ...string[]], random: Random): string {
  let mutated = text
  for (let left = 1 + random.below(6); left > 0; left--) mutated = mutateOnce(mutated, others, random)
  return mutated.slice(0, MAX_LENGTH)
}

function mutateOnce(text: string, others: readonly [string, ...string[]], random: Random): string {
  const at = random.below(text.length + 1)
  const end = Math.min(text.length, at + 1 + random.below(random.below(4) === 0 ? text.length : 12))
  const [before, piece, after] = [text.slice(0, at), text.slice(at, end), text.slice(end)]
  switch (random.below(7)) {
    case 0:
      return before + random.pick(WORDS) + piece + after
    case 1:
      return before + random.pick(WORDS) + after
    case 2:
      return before + after
    case 3:
      return before + piece.repeat(2 + random.below(random.below(8) === 0 ? 500 : 4)) + after
    case 4:
      return before + String.fromCharCode(random.below(256)) + text.slice(at + 1)
    case 5: {
      const other = random.pick(others)
      const from = random.below(other.length)
      return before + other.slice(from, from + 1 + random.below(40)) + after
    }
    default:
      return before + piece.replace(/[a-z]/gi, (letter) => `%${letter.charCodeAt(0).toString(16)}`) + after
  }
}
