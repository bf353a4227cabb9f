import { isMessageWord } from './message-words.ts'
import { LEAST_SECRET_LENGTH, type Span } from './secret-names.ts'

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
export function findPlainSecrets(text: string): Span[] {
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
