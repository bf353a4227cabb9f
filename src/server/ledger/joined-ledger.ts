import { parseDigest } from '../../shared/wire/digest-format.ts'
import type { Occurrence } from '../errors/failure-record.ts'
import type { AskedLedger, FailureDetails, FailureSummary, ListQuery, ReadQuery } from './ledger.ts'
import { comesAfter, createOrder } from './list-order.ts'
import { matches } from './summary.ts'

const DEFAULT_OCCURRENCES = 50
const MAX_RELEASES = 100

type Ledgers = readonly [AskedLedger, ...AskedLedger[]]

/** Asks all of them at the same time. */
export function askAll<L, T>(ledgers: readonly L[], ask: (ledger: L) => Promise<T>): Promise<T[]> {
  return Promise.all(ledgers.map(ask))
}

/**
 * Several ledgers as one, to read them and to mark failures as solved. A failure that several of them have is listed
 * once.
 */
export function joinLedgers(ledgers: Ledgers): AskedLedger {
  const [first, ...others] = ledgers
  if (others.length === 0) return first
  return {
    list: (query) => listJoined(ledgers, query),
    async read(fingerprint, query = {}) {
      const [one, ...more] = (await askAll(ledgers, ({ read }) => read(fingerprint, query))).filter(
        (found) => found !== null,
      )
      return one ? more.reduce((joined, next) => joinDetails(joined, next, query), one) : null
    },
    async fingerprints() {
      return [...new Set((await askAll(ledgers, ({ fingerprints }) => fingerprints())).flat())]
    },
    async releases() {
      const lists = await askAll(ledgers, ({ releases }) => releases())
      const longest = Math.max(...lists.map(({ length }) => length))
      // Each is in its own order, and does not tell the times.
      const inTurn = Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? []))
      return [...new Set(inTurn.flat())].slice(0, MAX_RELEASES)
    },
    async hours(sinceHour) {
      const counts = new Map<string, { fingerprint: string; hour: number; count: number }>()
      for (const { fingerprint, hour, count } of (await askAll(ledgers, ({ hours }) => hours(sinceHour))).flat()) {
        const key = `${fingerprint} ${hour}`
        counts.set(key, { fingerprint, hour, count: count + (counts.get(key)?.count ?? 0) })
      }
      return [...counts.values()]
    },
    async setSolved(fingerprint, at) {
      return (await askAll(ledgers, ({ setSolved }) => setSolved(fingerprint, at))).includes(true)
    },
  }
}

// The counts and times of a failure, and whether it is solved, are known once all ledgers have responded: only then can
// the list be narrowed, sorted and cut.
async function listJoined(ledgers: Ledgers, query: ListQuery): Promise<FailureSummary[]> {
  const { route, release, limit } = query
  const listAll = async (part: ListQuery) => (await askAll(ledgers, ({ list }) => list(part))).flat()
  const narrowing = [route === undefined ? [] : [{ route }], release === undefined ? [] : [{ release }]].flat()
  const [everything, ...narrowed] = await Promise.all([listAll({}), ...narrowing.map(listAll)])
  const failures = new Map<string, FailureSummary>()
  for (const one of everything) {
    const known = failures.get(one.fingerprint)
    failures.set(one.fingerprint, known ? joinSummaries(known, one) : one)
  }
  // What is kept of each occurrence is known to the ledgers alone.
  const allowed = narrowed.map((found) => new Set(found.map(({ fingerprint }) => fingerprint)))
  return [...failures.values()]
    .filter((summary) => matches(summary, query) && allowed.every((names) => names.has(summary.fingerprint)))
    .sort(createOrder(query.sort))
    .filter(comesAfter(query))
    .slice(0, limit)
}

function joinSummaries<T extends FailureSummary>(a: T, b: T): T {
  const [newer, older] = a.lastSeen < b.lastSeen ? [b, a] : [a, b]
  // As in one ledger, that of the server stays.
  if (newer.side !== older.side) return newer.side === 'server' ? newer : older
  const earlier = a.firstSeen <= b.firstSeen ? a : b
  return {
    ...newer,
    count: a.count + b.count,
    firstSeen: earlier.firstSeen,
    firstRelease: earlier.firstRelease,
    // Open while it is open anywhere.
    solvedAt: newer.solvedAt === null || older.solvedAt === null ? null : Math.max(newer.solvedAt, older.solvedAt),
  }
}

function joinDetails(a: FailureDetails, b: FailureDetails, { limit = DEFAULT_OCCURRENCES, occurrence }: ReadQuery) {
  const joined = joinSummaries(a, b)
  const isAsked = ({ digest }: Occurrence) => occurrence !== undefined && parseDigest(digest)?.occurrence === occurrence
  const occurrences = [a, b].flatMap((one) => (one.side === joined.side ? one.occurrences : []))
  occurrences.sort((one, other) => Number(isAsked(other)) - Number(isAsked(one)) || other.time - one.time)
  return { ...joined, occurrences: occurrences.slice(0, limit) }
}
