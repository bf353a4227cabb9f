import type { IncomingHttpHeaders } from 'node:http'
import { findParts } from './find-parts.ts'
import { createHeadFinder } from './head-finder.ts'
import { isMessageWord } from './message-words.ts'
import { findNamedSecrets, isSecretName, LEAST_SECRET_LENGTH, longEnough, type Span } from './secret-names.ts'

const HIDDEN = '[hidden]'
const MAX_LENGTH = 2_000

export interface RedactOptions {
  /** Most characters of the text that are shown; the rest is cut off (2,000). */
  maxLength?: number
  /** Does a word belong to the message whatever the visitor has written? (no) */
  isKnownWord?(word: string): boolean
}

/** Removes secrets from a text. */
export interface Redactor {
  (text: string, options?: RedactOptions): string
  /** May the text hold one of the secrets of this request? False is certain. */
  mayHold(text: string): boolean
}

/** Removes from a text what must reach no log: credentials in URLs and what the request's own headers hold. */
export function createRedactor(headers: IncomingHttpHeaders): Redactor {
  return redactorOf(secretsOf(headers))
}

const NO_WORDS: ReadonlySet<string> = new Set()

/**
 * Removes these texts wherever they stand, these words where they stand alone, and what the text itself calls a secret. A
 * text is cut before anything is looked for in it. All places are found in the text as it came and replaced at once: what
 * has been hidden is never searched. The work grows with the text and the secrets together, never with their product, and
 * the result has at most three times the length of the text.
 *
 * @param texts Each of at least `LEAST_SECRET_LENGTH` characters, as the words.
 */
export function redactorOf(texts: readonly string[], words = NO_WORDS): Redactor {
  const mayHold = createHeadFinder([...texts, ...words])

  function redact(text: string, { maxLength = MAX_LENGTH, isKnownWord = () => false }: RedactOptions = {}): string {
    const isCut = text.length >= maxLength
    // A secret that the cut goes through is still told by what follows.
    const near = text.slice(0, maxLength + LEAST_SECRET_LENGTH)
    const spans = findNamedSecrets(near)
    if (mayHold(near)) {
      if (texts.length > 0) spans.push(...findParts(near, texts, isCut))
      if (words.size > 0) spans.push(...findWords(near, words, isCut, isKnownWord))
    }
    return hide(near, spans, maxLength) + (text.length > maxLength ? '…' : '')
  }

  return Object.assign(redact, { mayHold })
}

// A letter beside a digit ends a word: `id4711`.
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

/** Puts `HIDDEN` into the place of each span, of those that touch once, in what is shown of the text. */
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

/** What the headers of a request hold that nobody else is to read. */
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
    return bare.includes('%') ? [value, bare, decodeLoosely(bare)] : [value, bare]
  })
}

/** What stands behind the scheme: a token, or a name and a password as Base64. */
function credentialsIn(value: string): string[] {
  const token = value.slice(value.indexOf(' ') + 1)
  if (!/^basic /i.test(value)) return [token]
  const pair = Buffer.from(token, 'base64').toString()
  return [token, pair, pair.slice(pair.indexOf(':') + 1)]
}

function decodeLoosely(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
