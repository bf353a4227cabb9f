import { createHydrantError, showValue } from '../../src/server/errors.ts'
import type { ListQuery } from '../../src/server/ledger/ledger.ts'
import { readSince, SINCE } from '../../src/server/read-since.ts'
import { type Digest, parseDigest } from '../../src/shared/digest-format.ts'

/** What `hydrant errors` is asked for. */
export type ErrorsRequest = { isJson: boolean; limit: number } & (
  | { kind: 'list'; query: Omit<ListQuery, 'limit'> }
  | { kind: 'one'; digest: Digest }
)

export interface ErrorsFlags {
  since?: string
  side?: string
  route?: string
  open?: boolean
  limit?: string
  json?: boolean
}

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 10_000
/** Flags that choose among failures. */
const CHOOSING = ['since', 'side', 'route', 'open'] as const

/**
 * Tells the words of the command line apart: a digest, typed in whatever way and in as many words, and a folder after it.
 * One word that is a folder is the folder. Throws HYD_CLI_USAGE and HYD_CLI_DIR.
 */
export function readWords(
  words: readonly string[],
  isFolder: (word: string) => boolean,
): { digest: Digest | null; dir: string } {
  const last = words.at(-1)
  if (last === undefined) return { digest: null, dir: '.' }
  if (isFolder(last)) {
    if (words.length === 1) return { digest: null, dir: last }
    const digest = parseDigest(words.slice(0, -1).join(' '))
    if (digest) return { digest, dir: last }
  }
  const whole = parseDigest(words.join(' '))
  if (whole) return { digest: whole, dir: '.' }
  if (words.length > 1 && parseDigest(words.slice(0, -1).join(' '))) throw createHydrantError('HYD_CLI_DIR', [last])
  throw misuse(
    `${showValue(words.join(' '))} is neither a digest, like 7F3KQ2M9-K4D2P1 or its first half, nor a folder`,
  )
}

/** Checks the flags. Throws HYD_CLI_USAGE. */
export function readRequest(digest: Digest | null, flags: ErrorsFlags, now: number): ErrorsRequest {
  const shared = { isJson: flags.json === true, limit: readLimit(flags.limit) }
  if (digest) {
    const given = CHOOSING.find((name) => flags[name] !== undefined)
    if (given) throw misuse(`--${given} chooses among failures; leave it out, or leave out the digest`)
    return { ...shared, kind: 'one', digest }
  }
  const { since, route, open } = flags
  const side = readSide(flags.side)
  const query = {
    ...(since === undefined ? {} : { since: parseSince(since, now) }),
    ...(side === undefined ? {} : { side }),
    ...(route === undefined ? {} : { route }),
    ...(open === true ? { isSolved: false } : {}),
  }
  return { ...shared, kind: 'list', query }
}

function parseSince(text: string, now: number): number {
  const since = readSince(text, now)
  if (since === null) throw misuse(`--since must be ${SINCE}; got ${showValue(text)}`)
  return since
}

function readSide(text: string | undefined): 'server' | 'client' | undefined {
  if (text === undefined || text === 'server' || text === 'client') return text
  throw misuse(`--side must be server or client; got ${showValue(text)}`)
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MAX_LIMIT) return limit
  throw misuse(`--limit must be a whole number from 1 to ${MAX_LIMIT}; got ${showValue(text)}`)
}

function misuse(text: string) {
  return createHydrantError('HYD_CLI_USAGE', [text])
}
