import type { IncomingHttpHeaders } from 'node:http'
import { decodeLoosely } from '../../shared/paths.ts'
import {
  findNamedSecrets,
  isMessageWord,
  isSecretName,
  LEAST_DIGITS,
  LEAST_SECRET_LENGTH,
  longEnough,
  type Span,
} from './secrets.ts'

const HIDDEN = '[hidden]'
const MAX_LENGTH = 2_000

export interface RedactOptions {
  /** Characters of the text that are kept; the rest is cut off (2,000). */
  maxLength?: number
  /** Returns true for a word that stays even when the visitor has sent it (none). */
  isKnownWord?(word: string): boolean
  /** Whether the text is shown even if the request has secrets that are unknown (false). */
  isWhole?: boolean
}

/** Removes secrets from a text. */
export interface Redactor {
  (text: string, options?: RedactOptions): string
  /** Returns false when the text certainly holds none of the texts and words. */
  mayHold(text: string): boolean
}

/** Creates a redactor that removes credentials in URLs and the secrets of a request's headers. */
export function createRedactor(headers: IncomingHttpHeaders): Redactor {
  return redactorOf(secretsOf(headers))
}

const NO_WORDS: ReadonlySet<string> = new Set()
const SHORT_NUMBER = new RegExp(`\\d{${LEAST_DIGITS}}`)

/**
 * Creates a redactor that removes these texts anywhere, these words where they are whole words, and what the text
 * itself marks as a secret.
 *
 * A text is cut before it is searched. All secrets are found in the original text and replaced at once, so a
 * replacement is never searched. The time is linear in the length of the text and the secrets together, and the result
 * has at most three times the length of the text. The number of secrets has no bound, which a client could exceed to
 * reveal one.
 *
 * @param texts Each has at least `LEAST_SECRET_LENGTH` characters.
 * @param words Each has at least `LEAST_SECRET_LENGTH` characters, or is a number of at least `LEAST_DIGITS` digits.
 * @param isPartial There are more secrets, which are unknown: only the words of messages and of the program stay.
 */
export function redactorOf(texts: readonly string[], words = NO_WORDS, isPartial = false): Redactor {
  // perf: most requests have no secrets and share one redactor, 5 ns instead of 78 ns, commit 8d8d4fde
  return texts.length === 0 && words.size === 0 && !isPartial
    ? WITHOUT_SECRETS
    : createRedactorOf(texts, words, isPartial)
}

function createRedactorOf(texts: readonly string[], words: ReadonlySet<string>, isPartial: boolean): Redactor {
  const folded = texts.map(fold)
  const holdsLong = createPrefixFilter(longEnough([...folded, ...[...words].map(fold)]))
  const hasShort = [...words].some(({ length }) => length < LEAST_SECRET_LENGTH)
  const mayHold = (text: string) => isPartial || holdsLong(fold(text)) || (hasShort && SHORT_NUMBER.test(text))

  function redact(text: string, options: RedactOptions = {}): string {
    const { maxLength = MAX_LENGTH, isKnownWord = () => false, isWhole = false } = options
    const isCut = text.length >= maxLength
    // A few characters after the cut show whether the cut goes through a secret.
    const near = text.slice(0, maxLength + LEAST_SECRET_LENGTH)
    const spans = findNamedSecrets(near)
    if (mayHold(near)) {
      if (folded.length > 0) spans.push(...findSubstrings(fold(near), folded, isCut))
      if (words.size > 0) spans.push(...findWords(near, words, isCut, isKnownWord))
      if (isPartial && !isWhole) spans.push(...findUnknownParts(near, isKnownWord))
    }
    return hide(near, spans, maxLength) + (text.length > maxLength ? '…' : '')
  }

  return Object.assign(redact, { mayHold })
}

/** Returns the text in lower case, character for character, so that a secret is found in any case. */
function fold(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return text.replace(/[^\0-\x7f]|[A-Z]+/g, (part) => {
    const one = part.toLowerCase()
    return one.length === part.length ? one : part
  })
}

const WITHOUT_SECRETS = createRedactorOf([], NO_WORDS, false)

// A word ends where letters meet digits: `id4711`.
const RUN = /[\p{L}\p{M}]+|\p{N}+/gu

function findWords(
  text: string,
  words: ReadonlySet<string>,
  isCut: boolean,
  isKnown: (word: string) => boolean,
): Span[] {
  const spans: Span[] = []
  for (const { index, 0: run } of text.matchAll(RUN)) {
    const to = index + run.length
    if (words.has(run) ? !isMessageWord(run) && !isKnown(run) : isCut && to === text.length && beginsOne(words, run))
      spans.push({ from: index, to })
  }
  return spans
}

function beginsOne(words: ReadonlySet<string>, run: string): boolean {
  for (const word of words) if (word.startsWith(run)) return true
  return false
}

/** Finds the texts between known words (of messages and of the program) that have a letter or a digit. */
function findUnknownParts(text: string, isKnown: (word: string) => boolean): Span[] {
  const words = [...text.matchAll(RUN)].filter(({ 0: run }) => isMessageWord(run) || isKnown(run))
  let at = 0
  const spans: Span[] = []
  for (const { index, 0: run } of [...words, { index: text.length, 0: '' }]) {
    const part = text.slice(at, index)
    const from = at + part.length - part.trimStart().length
    if (/[\p{L}\p{N}]/u.test(part)) spans.push({ from, to: at + part.trimEnd().length })
    at = index + run.length
  }
  return spans
}

/** Cuts the text and replaces each span by `HIDDEN`; spans that touch are replaced together. */
function hide(text: string, spans: Span[], maxLength: number): string {
  let shown = ''
  let at = 0
  let hiddenTo = -1
  for (const { from, to } of spans.sort((a, b) => a.from - b.from)) {
    if (from >= maxLength) break
    if (from > hiddenTo) shown += text.slice(at, from) + HIDDEN
    hiddenTo = Math.max(hiddenTo, to)
    at = hiddenTo
  }
  return shown + text.slice(at, maxLength)
}

const NONE: readonly string[] = []

/** Returns the secrets in the headers of a request: values of cookies, and of headers with the name of a secret. */
export function secretsOf(headers: IncomingHttpHeaders): readonly string[] {
  const values: string[] = []
  for (const name in headers) {
    const value = headers[name]
    if (typeof value !== 'string') continue
    if (name === 'cookie') values.push(...cookieValues(value))
    // `Authorization`, `Proxy-Authorization`, `X-API-Key`, `X-Session-Id`
    else if (isSecretName(name)) values.push(value, ...credentialsIn(value))
  }
  return values.length === 0 ? NONE : longEnough(values)
}

function cookieValues(cookie: string): string[] {
  return cookie.split(';').flatMap((pair) => {
    const value = pair.slice(pair.indexOf('=') + 1).trim()
    const bare = value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
    const decoded = bare.includes('%') ? decodeLoosely(bare) : bare
    return [value, bare, decoded, ...signedParts(decoded), ...jsonTexts(decoded)]
  })
}

/** A value with its signature, as `@fastify/cookie` and `cookie-parser` write it: `<id>.<sig>`, `s:<id>.<sig>`. */
const SIGNED = /^(?:s:)?(.+)\.([\w+/=-]{20,})$/s

function signedParts(value: string): string[] {
  const [, signed, signature = ''] = SIGNED.exec(value) ?? []
  if (signed === undefined) return value.startsWith('s:') || value.startsWith('j:') ? [value.slice(2)] : []
  return [...(isMessageWord(signed) ? [] : [signed]), signature, ...jsonTexts(signed)]
}

const MAX_JSON = 4_096

/** Returns the texts and numbers in a cookie with JSON: `{"id":…}`, `j:{"id":…}`. */
function jsonTexts(value: string): string[] {
  const json = value.replace(/^j:/, '')
  if (!/^[[{]/.test(json) || json.length > MAX_JSON) return []
  try {
    const texts: string[] = []
    JSON.parse(json, (_key, part) => {
      const text = typeof part === 'string' || typeof part === 'number' ? String(part) : ''
      if (!isMessageWord(text)) texts.push(text)
      return part
    })
    return texts
  } catch {
    return []
  }
}

/** Returns what follows the scheme: a token, or a name and a password in Base64. */
function credentialsIn(value: string): string[] {
  const token = value.slice(value.indexOf(' ') + 1)
  if (!/^basic /i.test(value)) return [token]
  const pair = Buffer.from(token, 'base64').toString()
  return [token, pair, pair.slice(pair.indexOf(':') + 1)]
}

// A rolling hash (https://en.wikipedia.org/wiki/Rabin%E2%80%93Karp_algorithm).
const FACTOR = 0x01000193
const OLDEST = Array.from({ length: LEAST_SECRET_LENGTH }).reduce<number>((power) => Math.imul(power, FACTOR), 1)
const SLOTS_PER_VALUE = 16
const MAX_SLOTS = 1 << 18

/**
 * Returns a function that says whether a text may hold one of the values, each of at least `LEAST_SECRET_LENGTH`
 * characters; false is certain. It looks for the first characters of all values in one pass, so a text costs the same
 * for one value as for thousands. Most texts hold none.
 */
function createPrefixFilter(values: readonly string[]): (text: string) => boolean {
  if (values.length === 0) return () => false
  const prefixes = new Set(values.map((value) => value.slice(0, LEAST_SECRET_LENGTH)))
  const slots = new Uint8Array(2 ** Math.ceil(Math.log2(Math.min(prefixes.size * SLOTS_PER_VALUE, MAX_SLOTS))))
  const slotOf = (hash: number) => (hash ^ (hash >>> 15)) & (slots.length - 1)
  for (const prefix of prefixes) slots[slotOf(hashOf(prefix))] = 1

  return (text) => {
    if (text.length < LEAST_SECRET_LENGTH) return false
    let hash = hashOf(text)
    for (let end = LEAST_SECRET_LENGTH; ; end++) {
      if (slots[slotOf(hash)] === 1 && prefixes.has(text.slice(end - LEAST_SECRET_LENGTH, end))) return true
      if (end >= text.length) return false
      const oldest = text.charCodeAt(end - LEAST_SECRET_LENGTH)
      hash = (Math.imul(hash, FACTOR) + text.charCodeAt(end) - Math.imul(oldest, OLDEST)) | 0
    }
  }
}

function hashOf(text: string): number {
  let hash = 0
  for (let at = 0; at < LEAST_SECRET_LENGTH; at++) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0
  return hash
}

/** A state of a suffix automaton. It represents all substrings of the text that end at the same positions. */
interface State {
  next: Map<number, State>
  /** The state of the next shorter suffixes. */
  link: State | null
  length: number
  /** Length of the longest value that ends here; 0 for none. */
  found: number
  /** True when the text ends with its substrings. */
  isEnd: boolean
}

/**
 * Finds every occurrence of the values in the text. The spans do not overlap and are ordered from last to first.
 *
 * The time is linear in the length of the text and the values together, for any input: the text is indexed once by a
 * suffix automaton (https://en.wikipedia.org/wiki/Suffix_automaton), which then reads each value.
 *
 * @param isCut The text is the beginning of a longer text, so a value may begin at its end without being complete.
 */
function findSubstrings(text: string, values: Iterable<string>, isCut: boolean): Span[] {
  const { root, states, prefixes } = indexSubstrings(text)
  let cutLength = 0
  for (const value of values) {
    const read = readValue(root, value)
    if (isCut) cutLength = Math.max(cutLength, read)
  }
  // A value that is a suffix of a longer substring ends there, too.
  for (const state of states.sort((a, b) => a.length - b.length)) {
    if (state.found === 0) state.found = state.link?.found ?? 0
  }
  const spans: Span[] = []
  if (cutLength >= LEAST_SECRET_LENGTH) spans.push({ from: text.length - cutLength, to: text.length })
  for (let to = text.length; to > 0; to--) {
    const length = prefixes[to - 1]?.found ?? 0
    if (length === 0) continue
    const last = spans.at(-1)
    if (last && last.from <= to) last.from = Math.min(last.from, to - length)
    else spans.push({ from: to - length, to })
  }
  return spans
}

/** Marks a value in the text. Returns the length of the longest prefix of the value that ends the text. */
function readValue(root: State, value: string): number {
  let state = root
  let atEnd = 0
  for (let length = 1; length <= value.length; length++) {
    const next = state.next.get(value.charCodeAt(length - 1))
    if (!next) return atEnd
    state = next
    if (state.isEnd) atEnd = length
  }
  state.found = Math.max(state.found, value.length)
  return atEnd
}

interface Index {
  root: State
  states: State[]
  /** The states of the text's prefixes; the index is the length minus one. */
  prefixes: State[]
}

function indexSubstrings(text: string): Index {
  const root = createState(0, null)
  const states = [root]
  const prefixes: State[] = []
  let last = root
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const state = createState(last.length + 1, root)
    states.push(state)
    prefixes.push(state)
    let above: State | null = last
    for (; above && !above.next.has(code); above = above.link) above.next.set(code, state)
    const next = above?.next.get(code)
    if (above && next) {
      if (next.length === above.length + 1) state.link = next
      else {
        const copy: State = { ...next, next: new Map(next.next), length: above.length + 1 }
        states.push(copy)
        for (; above && above.next.get(code) === next; above = above.link) above.next.set(code, copy)
        next.link = copy
        state.link = copy
      }
    }
    last = state
  }
  for (let end: State | null = last; end && end !== root; end = end.link) end.isEnd = true
  return { root, states, prefixes }
}

function createState(length: number, link: State | null): State {
  return { next: new Map(), link, length, found: 0, isEnd: false }
}
