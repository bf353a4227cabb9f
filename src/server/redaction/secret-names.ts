/** A part of a text: from the first index to the one behind it. */
export interface Span {
  from: number
  to: number
}

/** Shorter values (`a`, `1`, `dark`) are no secrets and would hide half of every message. */
export const LEAST_SECRET_LENGTH = 6

/** Those that are, once each. */
export function longEnough(values: readonly string[]): string[] {
  return [...new Set(values)].filter(({ length }) => length >= LEAST_SECRET_LENGTH)
}

const SECRET_NAME =
  /pass|pwd|secret|token|auth(?!or(?!i))|session|credential|signature|jwt|(?:api|access|private)[-_.]?key|^(?:key|code|sig)$/i

/** Does the name of a query's value, of a form's field or of a JSON property speak of a secret? */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

/** Whether there can be anything at all to hide: most texts are done with this. */
const SUSPICIOUS = new RegExp(`://|bearer|basic|${SECRET_NAME.source.replace(/[$^]/g, '')}`, 'i')

/** The places in a text that are secrets by what stands before them. Takes as long as the text is. */
export function findNamedSecrets(text: string): Span[] {
  if (!SUSPICIOUS.test(text)) return []
  return [...findCredentials(text), ...findQueryValues(text)]
}

// No part of these patterns can take what the next one takes, and none reads over the `/` or the blank that ends it: each
// character is read a few times at the most.
const USER_INFO = /(?<=:\/\/)[^\s/@:]*:[^\s/@]*(?:@[^\s/@"'`<>,;()?#&=]*)*(?=@)/g
const SCHEMES = /\b(?:bearer|(basic))(?:\s+|%20)([\w.~+/=-]{6,})/gi
/** What follows `basic` in a sentence: "basic support". */
const WORD = /^[A-Za-z]?[a-z]+\.?$/

function findCredentials(text: string): Span[] {
  const spans: Span[] = []
  for (const { index, 0: info } of text.matchAll(USER_INFO)) spans.push({ from: index, to: index + info.length })
  for (const { index, 0: whole, 1: basic, 2: value = '' } of text.matchAll(SCHEMES)) {
    const to = index + whole.length
    if (basic === undefined || !WORD.test(value)) spans.push({ from: to - value.length, to })
  }
  return spans
}

// A query may stand in a value of another one, as it is or encoded: `?next=/page%3Ftoken%3D…`. Names longer than that are
// nobody's, and would be read again from each separator in them.
const QUERY_NAME = /(?:[?&;#]|(%(?:3f|26|3b|23)))([^\s=&;?#"'`]{1,100}?)(?:=|%3d)/gi
const PLAIN_VALUE = /[^\s&;#"'`]*/y
const ENCODED_VALUE = /(?:(?!%(?:26|3b|23))[^\s&;#"'`])*/iy

function findQueryValues(text: string): Span[] {
  const spans: Span[] = []
  const names = new RegExp(QUERY_NAME)
  for (let found = names.exec(text); found !== null; found = names.exec(text)) {
    const [, encoded, name = ''] = found
    if (!isSecretName(name)) continue
    const pattern = new RegExp(encoded === undefined ? PLAIN_VALUE : ENCODED_VALUE)
    const from = names.lastIndex
    pattern.lastIndex = from
    const to = from + (pattern.exec(text)?.[0].length ?? 0)
    if (to > from) spans.push({ from, to })
    names.lastIndex = to
  }
  return spans
}
