import { type ListRequest, readLimit, readListField } from '../../src/server/admin/list-query.ts'
import { createHydrantError, showValue } from '../../src/server/errors/hydrant-error.ts'
import { type Digest, parseDigest } from '../../src/shared/wire/digest-format.ts'

/** The parsed arguments of `hydrant errors`. */
export type ErrorsRequest = { isJson: boolean; limit: number } & (
  | { kind: 'list'; query: ListRequest }
  | { kind: 'one'; digest: Digest }
)

export interface ErrorsFlags {
  since?: string
  side?: string
  route?: string
  release?: string
  new?: boolean
  sort?: string
  open?: boolean
  limit?: string
  json?: boolean
}

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 10_000
/** Flags that apply to the list only. */
const CHOOSING = ['since', 'side', 'route', 'release', 'new', 'sort', 'open'] as const
/** Flags that are parsed by the same code as the query of the console's API. */
const SHARED = ['since', 'side', 'route', 'release', 'sort'] as const

/**
 * Splits the arguments into a digest, which may be typed in any way and as several words, and the folder after it. A
 * single word that names a folder is the folder. Throws HYD_CLI_USAGE and HYD_CLI_DIR.
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
    `${showValue(words.join(' '))} is neither a digest (like 7F3KQ2M9-K4D2P1, or its first half) nor a folder`,
  )
}

/** Checks the flags. Throws HYD_CLI_USAGE. */
export function readRequest(digest: Digest | null, flags: ErrorsFlags, now: number): ErrorsRequest {
  const shared = { isJson: flags.json === true, limit: limitOf(flags) }
  if (digest) {
    const given = CHOOSING.find((name) => flags[name] !== undefined)
    if (given) throw misuse(`--${given} applies to the list; leave out either --${given} or the digest`)
    return { ...shared, kind: 'one', digest }
  }
  const query: ListRequest = {}
  for (const name of SHARED) {
    const text = flags[name]
    const expected = text === undefined ? null : readListField(name, text, query, now)
    if (expected !== null) throw misuse(`--${name} must be ${expected}; got ${showValue(text)}`)
  }
  if (flags.open === true) query.isSolved = false
  if (flags.new === true) query.isNew = true
  return { ...shared, kind: 'list', query }
}

function limitOf({ limit: text }: ErrorsFlags): number {
  if (text === undefined) return DEFAULT_LIMIT
  const limit = readLimit(text, MAX_LIMIT)
  if (limit !== null) return limit
  throw misuse(`--limit must be a whole number from 1 to ${MAX_LIMIT}; got ${showValue(text)}`)
}

function misuse(text: string) {
  return createHydrantError('HYD_CLI_USAGE', [text])
}
