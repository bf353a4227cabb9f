import { parseRecent, RECENT } from '../../src/server/admin/list-query.ts'
import { createHydrantError, showValue } from '../../src/server/errors/hydrant-error.ts'
import {
  readSlow,
  reportSlowRequest,
  type SlowQuery,
  slowReportJson,
  slowRequestJson,
} from '../../src/server/ledger/slow-report.ts'
import { countOf } from '../../src/server/log/throttled-line.ts'
import { hasCode } from '../../src/server/util/unknown-values.ts'
import { formatAgo, formatTime, type View } from '../terminal/format-failure.ts'
import { formatSlow, formatSlowRequest } from '../terminal/format-slow.ts'
import { quoteWord, type Terminal, toJson, toLine } from '../terminal/text.ts'
import { isFolder, misuse, readLimitFlag } from './command-input.ts'
import { type LedgerFlags, type NamedLedger, printFromLedger, selectLedger } from './site-ledger.ts'

export interface SlowFlags {
  since?: string
  route?: string
  limit?: string
  json?: boolean
}

/** Runs `hydrant slow`. Loads nothing that only building or serving needs. */
export async function runSlow(
  words: readonly string[],
  { ledger, ...flags }: SlowFlags & Pick<LedgerFlags, 'ledger'>,
  terminal: Terminal,
): Promise<void> {
  const now = Date.now()
  const { id, dir } = readSlowWords(words, isFolder)
  const request = readSlowRequest(id, flags, now)
  const selected = selectLedger({ dir, ledger }, terminal.env)
  try {
    await printFromLedger(selected, terminal, now, (from, view) => describeSlow(request, from, view))
  } catch (error) {
    const fix = FIXES.find(([code]) => hasCode(error, code))?.[1]
    throw fix === undefined ? error : Object.assign(error as Error, { fix })
  }
}

const WRITES = '"hydrant start" writes times every 30 s, unless "admin" is false; an app does with "hydrant.admin" only'

// The fixes of the table are about failures.
const FIXES = [
  [
    'HYD_LEDGER_MISSING',
    `Pass the site’s folder, or name the ledger with --ledger or HYDRANT_LEDGER; while the site has visitors, ${WRITES}.`,
  ],
  ['HYD_LEDGER_OFF', 'Set "ledger" to a file or to "postgres://…": the times are kept there.'],
] as const

/** The parsed arguments of `hydrant slow`. */
export type SlowCommand = { isJson: boolean } & (
  | { kind: 'list'; query: SlowQuery & { limit: number } }
  | { kind: 'one'; id: string }
)

/**
 * Splits the arguments into the id of a request and the folder after it. A single word that names a folder is the
 * folder; any other one is an id. Throws HYD_CLI_USAGE and HYD_CLI_DIR.
 */
export function readSlowWords(
  words: readonly string[],
  isFolder: (word: string) => boolean,
): { id: string | null; dir: string } {
  const [first, dir, ...more] = words
  if (more.length > 0) throw misuse(`expected the id of a request and a folder; got ${showValue(words.join(' '))}`)
  if (dir !== undefined && !isFolder(dir)) throw createHydrantError('HYD_CLI_DIR', [dir])
  if (first === undefined || (dir === undefined && isFolder(first))) return { id: null, dir: first ?? '.' }
  return { id: first, dir: dir ?? '.' }
}

const DEFAULT_SINCE = '1h'
const DEFAULT_LIMIT = 10
/** Flags that apply to the list only. */
const CHOOSING = ['since', 'route', 'limit'] as const

/** Checks the flags. Throws HYD_CLI_USAGE. */
export function readSlowRequest(id: string | null, flags: SlowFlags, now: number): SlowCommand {
  const isJson = flags.json === true
  if (id !== null) {
    const given = CHOOSING.find((name) => flags[name] !== undefined)
    if (given) throw misuse(`--${given} applies to the list; leave out either --${given} or the id`)
    return { isJson, kind: 'one', id }
  }
  const since = parseRecent(flags.since ?? DEFAULT_SINCE, now)
  if (since === null) throw misuse(`--since must be ${RECENT}; got ${showValue(flags.since)}`)
  const limit = readLimitFlag(flags.limit, DEFAULT_LIMIT)
  return { isJson, kind: 'list', query: { since, limit, ...(flags.route === undefined ? {} : { route: flags.route }) } }
}

/** Returns what `hydrant slow` prints. Throws HYD_REQUEST_UNKNOWN. */
export async function describeSlow(
  command: SlowCommand,
  { ledger, name, words }: NamedLedger<'times' | 'slowRequest'>,
  view: View,
): Promise<string> {
  if (command.kind === 'one') {
    const request = await ledger.slowRequest(command.id)
    if (!request) throw createHydrantError('HYD_REQUEST_UNKNOWN', [name, toLine(command.id)])
    const report = reportSlowRequest(request)
    return command.isJson ? toJson(slowRequestJson(report)) : formatSlowRequest(report, view).join('\n')
  }
  const { isJson, query } = command
  const report = await readSlow(ledger, query)
  if (isJson) return toJson(slowReportJson(report))
  const { routes, moreRoutes, slowest } = report
  const since = `since ${formatTime(report.since)} (${formatAgo(report.since, view.now)})`
  if (routes.length === 0) return formatNothing(since, query.route, report.requests > 0, name)
  const more = `${countOf(moreRoutes, 'more route')}; --limit ${query.limit * 2} shows more. `
  return [
    ...formatSlow(report, since, view),
    '',
    `${moreRoutes > 0 ? more : ''}Ledger: ${name}`,
    ...(slowest[0] ? [`One request: ${commandFor(slowest[0].id, words)}`] : []),
  ].join('\n')
}

/** Returns the command that shows a request. Clients may choose ids: one that begins with a dash is no flag. */
function commandFor(id: string, words: string): string {
  const word = quoteWord(toLine(id))
  if (!id.startsWith('-')) return `hydrant slow ${word}${words}`
  const [flags, folder] = words.startsWith(' --') ? [words, ''] : ['', words]
  return `hydrant slow${flags} -- ${word}${folder}`
}

function formatNothing(since: string, route: string | undefined, hasOthers: boolean, name: string): string {
  if (hasOthers)
    return `No request of ${toLine(route ?? '')} was measured ${since}; without --route, the list has all routes. Ledger: ${name}`
  return [
    `No request was measured ${since}. Ledger: ${name}`,
    `Visit a page of the site: ${WRITES}. --since 24h goes back a day, and no further.`,
  ].join('\n')
}
