/** A part of a text: `from` is the index of its first character, `to` the index after its last one. */
export interface Span {
  from: number
  to: number
}

/** Shorter values (`a`, `1`, `dark`) are not secrets. Removing them would hide half of every message. */
export const LEAST_SECRET_LENGTH = 6

/** Returns the values of at least `LEAST_SECRET_LENGTH` characters, without duplicates. */
export function longEnough(values: readonly string[]): string[] {
  return [...new Set(values)].filter(({ length }) => length >= LEAST_SECRET_LENGTH)
}

const SECRET_NAME =
  /pass|pwd|secret|token|auth(?!or(?!i))|session|credential|signature|jwt|(?:api|access|private)[-_.]?key|^(?:key|code|sig)$/i

/** Returns true when the name of a query parameter, form field or JSON property means a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

/** Most texts do not match it and hold nothing to hide. */
const SUSPICIOUS = new RegExp(`://|bearer|basic|${SECRET_NAME.source.replace(/[$^]/g, '')}`, 'i')

/** Finds the secrets in a text that a name or a scheme before them marks as such. Takes linear time. */
export function findNamedSecrets(text: string): Span[] {
  if (!SUSPICIOUS.test(text)) return []
  return [...findCredentials(text), ...findQueryValues(text)]
}

// These patterns take linear time: no part matches what the next part matches, and none reads past the `/` or the space
// that ends it.
const USER_INFO = /(?<=:\/\/)[^\s/@:]*:[^\s/@]*(?:@[^\s/@"'`<>,;()?#&=]*)*(?=@)/g
const SCHEMES = /\b(?:bearer|(basic))(?:\s+|%20)([\w.~+/=-]{6,})/gi
/** A word that follows `basic` in a sentence: "basic support". */
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

// A value of a query may contain another query, plain or encoded: `?next=/page%3Ftoken%3D…`. The length of a name is
// bounded: a longer name would be read again from each separator in it.
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
