import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ListRequest, readListField, toListQuery } from '../../src/server/admin/list-query.ts'
import { BUILD_PATHS } from '../../src/server/build-output/manifest.ts'
import { buildFolder, readConfig, readManifest } from '../../src/server/build-output/read-build.ts'
import { createHydrantError, showValue } from '../../src/server/errors/hydrant-error.ts'
import type { FailureSummary } from '../../src/server/ledger/entries.ts'
import { failureJson, readFailure, summaryJson } from '../../src/server/ledger/failure-json.ts'
import type { Sort } from '../../src/server/ledger/ledger.ts'
import { resolveOptions } from '../../src/server/options/resolve-options.ts'
import { closestMatches } from '../../src/server/util/closest-match.ts'
import { type Digest, formatDigest, parseDigest } from '../../src/shared/wire/digest-format.ts'
import { formatFailure, formatFailures, type View } from '../terminal/format-failure.ts'
import { type Terminal, toJson } from '../terminal/text.ts'
import { isFolder, misuse, readLimitFlag } from './command-input.ts'
import { type Env, type LedgerFlags, type NamedLedger, printFromLedger, selectLedger } from './site-ledger.ts'

/** Runs `hydrant errors`. Loads nothing that only building or serving needs. */
export async function runErrors(
  words: readonly string[],
  { ledger, dev, ...flags }: ErrorsFlags & LedgerFlags,
  terminal: Terminal,
): Promise<void> {
  const { stderr, env } = terminal
  const now = Date.now()
  const { digest, dir } = readWords(words, isFolder)
  const request = readRequest(digest, flags, now)
  const selected = selectLedger({ dir, ledger, dev }, env)
  if (request.kind === 'list' && request.query.isNew)
    request.query.release ??= await readRelease(ledger === undefined ? dir : null, env)
  await printFromLedger(selected, terminal, now, (from, view) =>
    describeErrors(request, from, view, (more) => stderr.write(`${more}\n`)),
  )
}

/** Returns the release of the build in a site's folder, resolved from the same options as by its server. */
async function readRelease(dir: string | null, env: Env): Promise<string> {
  if (dir === null) throw misuse('--new needs --release when --ledger is set')
  const folder = buildFolder(dir)
  if (!existsSync(join(folder, BUILD_PATHS.manifest))) throw misuse('--new needs --release, because there is no build')
  const { release } = resolveOptions({ env, config: await readConfig(folder) })
  return release || readManifest(folder).buildId
}

type ErrorsLedger = NamedLedger<'list' | 'read' | 'fingerprints'>

/** Returns what `hydrant errors` prints. `onMore` gets a sentence if JSON lacks matches. Throws HYD_DIGEST_UNKNOWN. */
export async function describeErrors(
  request: ErrorsRequest,
  from: ErrorsLedger,
  view: View,
  onMore: (text: string) => void = () => {},
): Promise<string> {
  return request.kind === 'one' ? describeOne(request, from, view) : describeList(request, from, view, onMore)
}

type RequestOf<Kind extends ErrorsRequest['kind']> = Extract<ErrorsRequest, { kind: Kind }>

async function describeList(
  { query, limit, isJson }: RequestOf<'list'>,
  from: ErrorsLedger,
  view: View,
  onMore: (text: string) => void,
) {
  const { ledger, name, words } = from
  // One more than the list shows, to know whether there are more.
  const found = await ledger.list({ ...toListQuery(query, ''), limit: limit + 1 })
  const shown = found.slice(0, limit)
  const hasMore = found.length > limit
  if (isJson) {
    if (hasMore) onMore(`Only ${limit} failures are shown; --limit ${limit * 2} shows more.`)
    return toJson(shown.map(summaryJson))
  }
  if (shown.length === 0) {
    if (query.isNew) return `No failure is new in ${query.release}. Ledger: ${name}`
    const { sort: _sort, ...choosing } = query
    const isChosen = Object.keys(choosing).length > 0
    return `${isChosen ? 'No failure matches' : 'Nothing has failed yet'}. Ledger: ${name}`
  }
  const rest = hasMore ? `, ${ORDERS[query.sort ?? 'last']}; --limit ${limit * 2} shows more` : ''
  const isNew = query.isNew ? ` New in ${query.release}.` : ''
  return [
    ...formatFailures(shown, view),
    '',
    `${countOf(shown)}${query.since === undefined ? '' : ' in total'}${rest}.${isNew} Ledger: ${name}`,
    `Details of one: hydrant errors ${shown[0]?.fingerprint ?? ''}${words}`,
  ].join('\n')
}

async function describeOne({ digest, limit, isJson }: RequestOf<'one'>, from: ErrorsLedger, view: View) {
  const { ledger } = from
  const { fingerprint, occurrence } = digest
  const details = await readFailure(ledger, fingerprint, { limit, ...(occurrence === undefined ? {} : { occurrence }) })
  if (!details) throw unknownDigest(digest, from, await ledger.fingerprints())
  if (isJson) return toJson(failureJson(details))
  const meant = occurrence === undefined ? null : formatDigest(fingerprint, occurrence)
  return formatFailure(details, { digest: meant }, view).join('\n')
}

const ORDERS: Record<Sort, string> = {
  last: 'last seen first',
  first: 'newest first',
  count: 'most frequent first',
}

function unknownDigest({ fingerprint }: Digest, { name, words, isDev }: ErrorsLedger, fingerprints: readonly string[]) {
  const near = closestMatches(fingerprint, fingerprints, 3)
  const hint = near.length > 0 ? `; the nearest: ${near.join(', ')}` : ''
  const error = createHydrantError('HYD_DIGEST_UNKNOWN', [name, fingerprint, hint])
  if (isDev)
    error.fix = `Run "hydrant errors${words}" to list the failures that are still in the ledger of "hydrant dev".`
  return error
}

function countOf(failures: readonly FailureSummary[]): string {
  const times = failures.reduce((sum, { count }) => sum + count, 0)
  const what = failures.length === 1 ? '1 failure' : `${failures.length} failures`
  return `${what}, seen ${times === 1 ? 'once' : `${times} times`}`
}

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
  const shared = { isJson: flags.json === true, limit: readLimitFlag(flags.limit, DEFAULT_LIMIT) }
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
