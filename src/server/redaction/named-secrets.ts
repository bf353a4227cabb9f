import { findPlainSecrets } from './plain-secrets.ts'
import { isSecretName, SECRET_NAME_HINT, type Span } from './secret-names.ts'

/** Most texts do not match it and hold nothing to hide. */
const SUSPICIOUS = new RegExp(`://|bearer|basic|%|${SECRET_NAME_HINT.source}`, 'i')

/** Finds the secrets in a text that a name or a scheme before them marks as such. Takes linear time. */
export function findNamedSecrets(text: string): Span[] {
  const plain = findPlainSecrets(text)
  return SUSPICIOUS.test(text) ? [...plain, ...findCredentials(text), ...findQueryValues(text)] : plain
}

/** Returns the values of secret names in the query of a URL, as they are written and decoded. */
export function querySecretsOf(url: string): string[] {
  if (!SUSPICIOUS.test(url)) return []
  return findQueryValues(url).flatMap(({ from, to }) => {
    const written = url.slice(from, to)
    // A lone `%` and bytes that are not UTF-8 are allowed here.
    return [written, new URLSearchParams(`value=${written}`).get('value') ?? '']
  })
}

// These patterns take linear time: no part matches what the next part matches, and none reads past the `/` or the space
// that ends it.
const USER_INFO = /(?<=:\/\/)(?:[^\s/@:"'`<>,;()?#&=]+|[^\s/@:]*:[^\s/@]*(?:@[^\s/@"'`<>,;()?#&=]*)*)(?=@)/g
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

/** The characters that separate names, values and pairs of a query. An inner query is encoded once or several times. */
const DELIMITER = /[?&;#]|%((?:25)*)(?:3f|26|3b|23)|(=|%(?:25)*3d)|[\s"'`]/gi
/** A text that is only a URL of the site: quotes are a part of it. */
const SITE_URL = /^\/\S*$/

/** The level of a query that is not inside another one; each encoding adds 1. */
const OUTERMOST = 0

/**
 * Finds the values of secret names in queries: `?token=…`, `?next=/page%3Ftoken%3D…`, `?%74oken=…`.
 *
 * The text is read once from delimiter to delimiter, and each name once for each kind of equals sign.
 */
function findQueryValues(text: string): Span[] {
  const spans: Span[] = []
  const delimiters = new RegExp(DELIMITER)
  const isUrl = SITE_URL.test(text)
  /** Where the name of a pair of the outermost query begins; null outside a name. */
  let outerFrom: number | null = null
  /** Where the name of the innermost pair begins, and the level of its query. */
  let inner: { from: number; level: number } | null = null
  for (let found = delimiters.exec(text); found !== null; found = delimiters.exec(text)) {
    const [sign, encodings, equals] = found
    const end = found.index + sign.length
    if (equals === undefined) {
      const level = encodings === undefined ? OUTERMOST : encodings.length / 2 + 1
      const isSeparator = encodings !== undefined || '?&;#'.includes(sign)
      if (!isSeparator && isUrl) continue
      inner = isSeparator ? { from: end, level } : null
      if (level === OUTERMOST) outerFrom = isSeparator ? end : null
      continue
    }
    // An encoded equals sign may be a part of the outer name.
    const ofOuter = equals === '=' && outerFrom !== null
    const names = [inner?.from, ofOuter ? outerFrom : null].map((from) => text.slice(from ?? end, found.index))
    if (names.some(isSecretQueryName)) {
      const to = endOfValue(text, end, ofOuter ? OUTERMOST : (inner?.level ?? OUTERMOST), isUrl)
      if (to > end) spans.push({ from: end, to })
      delimiters.lastIndex = to
    }
    inner = null
    if (equals === '=') outerFrom = null
  }
  return spans
}

/** Returns true for a secret name, also when it is percent-encoded. */
function isSecretQueryName(name: string): boolean {
  if (name === '') return false
  if (!name.includes('%')) return isSecretName(name)
  // `decodeURIComponent` throws for bytes that are not UTF-8.
  const decoded = name.replace(/%(?:25)*([0-7][\da-f])/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
  return isSecretName(decoded)
}

/**
 * Returns where a value ends: at a separator that is encoded at most as often as the query of its pair. A semicolon is
 * a part of the value for most parsers.
 */
function endOfValue(text: string, from: number, level: number, isUrl: boolean): number {
  const separator = level === OUTERMOST ? '' : `(?!%(?:25){0,${level - 1}}(?:26|23))`
  const value = new RegExp(`(?:${separator}[^\\s&#${isUrl ? '' : '"\'`'}])*`, 'iy')
  value.lastIndex = from
  return from + (value.exec(text)?.[0].length ?? 0)
}
