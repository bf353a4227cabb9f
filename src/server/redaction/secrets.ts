import { errorTable } from '../errors/error-table.ts'
import { reactErrors } from '../errors/react-errors.ts'

/** A part of a text: `from` is the index of its first character, `to` the index after its last one. */
export interface Span {
  from: number
  to: number
}

/** Shorter values (`a`, `1`, `dark`) are not secrets. Removing them would hide half of every message. */
export const LEAST_SECRET_LENGTH = 6

/** Numbers of a secret name that have at least this many digits are secrets, such as a PIN. */
export const LEAST_DIGITS = 4

/** Returns the values of at least `LEAST_SECRET_LENGTH` characters, without duplicates. */
export function longEnough(values: readonly string[]): string[] {
  if (values.length === 0) return []
  return [...new Set(values)].filter(({ length }) => length >= LEAST_SECRET_LENGTH)
}

const SECRET_PART =
  /pass|pwd|secret|token|auth(?!or(?!i))|session|sess[-_.]?id|credential|signature|jwt|(?:api|access|private|master|subscription|signing|encryption|shared)[-_.]?key/i

/** Words for a password in other languages that do not contain `pass`, and that no other name contains. */
const PASSWORD =
  /kennwort|losungswort|contrase(?:n|ñ|ny)a|wachtwoord|l(?:o|ö)senord|adgangskode|kodeord|salasana|lozinka|пароль|密码|密碼|パスワード|비밀번호/i

/** Codes that only one person knows: of a second factor, in a letter, on a card. `zip_code` is none. */
const SECRET_CODE =
  /(?:mfa|otp|pin|sms|verif(?:y|ication)|confirm(?:ation)?|security|recovery|backup|login|sign[-_. ]?in|one[-_. ]?time|two[-_. ]?factor|activation|reset)[-_. ]?code/i

/** `key`, `user[code]`, `a.sig`, but not `sort_key`. */
const SECRET_SEGMENT = /(?<![\w-])(?:key|code|sig|sid)(?![\w-])/i

/** `parola chiave` is a word to search for. */
const SECRET_WORDS =
  '[ht]?otp|pin|mfa|[2t]fa|cv[vc]|pw|mdp|senha|parola(?![-_. ]?chiave)|heslo|has(?:l|ł)o|jelsz(?:o|ó)|(?:s|ş)ifre'
/** `otp`, `new_pin`, `pin2`, `pw`, `senha`, but not `shipping`, `option`, `pinned`, `chosenHandle`. */
const SECRET_WORD = new RegExp(`(?<![a-z])(?:${SECRET_WORDS})(?![a-z])`, 'i')

const CAMEL_CASE = /(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g

/** Separates the words of a name in camel case: `userPin` becomes `user_Pin`, `OTPValue` becomes `OTP_Value`. */
export function separateWords(name: string): string {
  return name.replace(CAMEL_CASE, '_')
}

/** Matches each text that holds a secret name which is not encoded, and few others. */
const SECRET_NAME_HINT = new RegExp(`${SECRET_PART.source}|${PASSWORD.source}|code|key|sig|sid|${SECRET_WORDS}`, 'i')

/** Returns true when the name of a query parameter, form field or JSON property means a secret. Takes linear time. */
export function isSecretName(name: string): boolean {
  return (
    SECRET_PART.test(name) ||
    PASSWORD.test(name) ||
    SECRET_CODE.test(name) ||
    SECRET_SEGMENT.test(name) ||
    SECRET_WORD.test(name) ||
    SECRET_WORD.test(separateWords(name))
  )
}

// Words of the messages of V8, Node.js and React, in their case: `Cannot read properties of undefined (reading
// 'price')`, `x is not a function`, `Unexpected token`. Words of fewer than six letters are never hidden.
const PLATFORM_WORDS = `
  aborted abstract accepts access accessor addition address allocation already annotation anonymous argument arguments
  arrays assertion assign assigned assignment asynchronous attempt attempted available awaited because before between
  bigint binding blocks boolean bottom boundary buffer callback called calling cancel cancelled cannot caused
  certificate changed characters circular classes client closed closing command component components configurable
  connect connection constant constructor contain contains content context control convert converting crypto declaration
  declared decode decoded default define defined delete deprecated derived deserialize destroyed destructure
  destructured different digits directory document duplicate element elements encoded encoding environment errors escape
  exceed exceeded exception execute existing expect expected experimental export exports expression extensible failed
  failure fields finally finish finished fraction frozen function functions generator getter global handle handled
  handler header headers hostname hydrate hydration identifier ignored illegal implemented import indirect infinite
  initial initialization initialize initialized initializer inside instance instanceof instantiate instead integer
  internal invalid invocation invoke iterable iterate iterator iterators latest length letter lexical listener listeners
  literal locale lookup malformed matching maxBuffer maximum memory method methods minimum mismatch missing module
  modules multiple native nested network nothing nullish number numbers object objects offset operand operands operation
  operator option options output outside parameter parameters params parent parsing password pattern pending permission
  permitted position possible precision prefix present primitive private process promise promises properties property
  protocol prototype provide provided proxied reached readable reading readonly reason received reduce reference refused
  regular reject rejected rejection release removed render rendered rendering repeat replace request require required
  requires reserved resolve resolved resource response restricted result return returned returns revoked schema script
  search second section serialize server setter setting should single socket source specified specifier spread stable
  started statement static status stream strict string strings structure subclass suffix support supported suspend
  suspended switch symbol symbols syntax system target template terminated thenable throwing thrown throws timeout
  transfer undefined unescaped unexpected unhandled unicode unknown unparsable unsupported unterminated update values
  variable variables version virtual whether window within without writable writing written
  Argument Arguments Assignment BigInt Boolean Buffer Cannot Classes Constructor Converting Delete Derived Duplicate
  Element Exceeded Expected Failed Function Generator Getter Hydration Illegal Import Incorrect Infinity Initial Invalid
  Iterator JavaScript Malformed Maximum Method Minified Missing Module Nothing Number Object Objects Operation Parameter
  Private Promise Property Received Reduce Reflect RegExp Request Response Result Server Setter Spread String Suspense
  Symbol TypeError Unexpected Unhandled Unknown Unsupported Unterminated
`

const LONG_WORD = /[A-Za-z]{6,}/g

/** Created when a visitor's word first occurs in a message. */
let messageWords: ReadonlySet<string> | null = null

/** Returns true for a word that occurs in the messages of Hydrant, Node.js, V8 or React. */
export function isMessageWord(word: string): boolean {
  messageWords ??= new Set([
    ...wordsIn(PLATFORM_WORDS),
    ...Object.values(errorTable).flatMap(({ message }) => wordsIn(message)),
    ...Object.values(reactErrors).flatMap(wordsIn),
  ])
  return messageWords.has(word)
}

/** Returns the words of a text or of source code that have at least six letters. */
export function wordsIn(text: string): readonly string[] {
  return text.match(LONG_WORD) ?? []
}

// Secrets outside of a query that their form shows, or a name before them: `Cookie: a=b`, `{"password":"…"}`. A message
// also says `Unexpected token: end of line 2`, so a value is hidden only if it is not a part of a sentence.

/** Most texts do not match these and hold nothing to hide. */
const MAY_SHOW_FORM = /eyJ|PRIVATE KEY|(?:gh[opsur]|github_pat|npm|whsec|live|test)_|glpat-|sk-|xox|AIza/
const SIGN_BEFORE_VALUE = /[=:]/
const MAY_NAME_VALUE = /cookie|pass|pwd|secret|credential|key|token|auth|session|jwt|signature/i
// Each pattern takes linear time: it can only begin where a run of its characters or a name begins, and reads the text
// after that once.
const JSON_WEB_TOKEN = /(?<![\w-])eyJ[\w-]{4,}\.[\w-]{4,}(?:\.[\w-]*)*/g
const PRIVATE_KEY = /(?<=PRIVATE KEY-----)(?:(?!-----)[\s\S])+/g
/** Tokens of GitHub, GitLab, Stripe, OpenAI, Anthropic, Slack, npm and Google. */
const KNOWN_TOKEN =
  /(?<![\w-])(?:(?:gh[opsur]|npm|whsec|[rs]k_(?:live|test))_[a-zA-Z\d]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|sk-(?:[a-z]+\d*-){0,2}\w{20,}|xox[a-z]-[\w-]{10,}|AIza[\w-]{30,})/g
/** The pairs of a `Cookie` or a `Set-Cookie`, in a line of headers or as JSON. */
const COOKIES = /(?<=\bcookie\\?["'`]?\s?[:=]\s?\[?\s?\\?["'`]?)[\w!#$%&*+.^|~-]+=[^\s"'`\\;]*(?:; ?[^\s"'`\\;]+)*/gi

const PASSWORD_NAME =
  '(?<![a-z])pass|passw(?:or)?d|passphrase|passcode|pwd|secret|credentials?|(?:api|access|secret|private|master|signing|encryption|shared)[-_ ]?key'
const TOKEN_NAME = 'token|auth|authorization|session(?:[-_ ]?id)?|jwt|signature'
/** A colon needs a space or a quote after it: `session.ts:120:15` is a place. */
const SIGN = String.raw`\\?["'\`]?(?:\s?=(?![=>])\s?|\s?:\s{1,2}|:(?=\\?["'\`]))`
const VALUE = String.raw`(?:\\?["'\`]([^\s"'\`\\]+)(?=\\?["'\`])|([^\s"'\`,;&()\]}\\]+))`
const NAMED_VALUE = new RegExp(`(?:(${PASSWORD_NAME})|${TOKEN_NAME})(${SIGN})${VALUE}`, 'gi')
const PLAIN_WORD = /^[A-Za-z]?[a-z]+[.!]?$/

/** Finds the secrets in a text that is not a query. Takes linear time. */
function findPlainSecrets(text: string): Span[] {
  const spans: Span[] = []
  if (MAY_SHOW_FORM.test(text)) spans.push(...findAll(text, JSON_WEB_TOKEN, PRIVATE_KEY, KNOWN_TOKEN))
  if (!SIGN_BEFORE_VALUE.test(text) || !MAY_NAME_VALUE.test(text)) return spans
  spans.push(...findAll(text, COOKIES))
  for (const { index, 0: whole, 1: password, 2: sign = '', 3: quoted, 4: bare = '' } of text.matchAll(NAMED_VALUE)) {
    const value = quoted ?? bare
    const to = index + whole.length
    const mayBeSentence = quoted === undefined && sign.includes(':')
    if (isSecretValue(value, password !== undefined, mayBeSentence)) spans.push({ from: to - value.length, to })
  }
  return spans
}

function findAll(text: string, ...patterns: RegExp[]): Span[] {
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ index, 0: whole }) => ({ from: index, to: index + whole.length })),
  )
}

function isSecretValue(value: string, isPassword: boolean, mayBeSentence: boolean): boolean {
  if (value.length < LEAST_SECRET_LENGTH) return false
  if (!isPassword) return /\d/.test(value) && /[a-z]/i.test(value)
  if (mayBeSentence) return /\d/.test(value)
  return !PLAIN_WORD.test(value) || !isMessageWord(value.toLowerCase().replace(/\W$/, ''))
}

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

/** Returns where a value ends: at a separator encoded at most as often as its query. A semicolon is none. */
function endOfValue(text: string, from: number, level: number, isUrl: boolean): number {
  const separator = level === OUTERMOST ? '' : `(?!%(?:25){0,${level - 1}}(?:26|23))`
  const value = new RegExp(`(?:${separator}[^\\s&#${isUrl ? '' : '"\'`'}])*`, 'iy')
  value.lastIndex = from
  return from + (value.exec(text)?.[0].length ?? 0)
}
