import { parseDigest } from '../../shared/wire/digest-format.ts'
import type { Occurrence } from '../errors/failure-record.ts'
import type { FailureDetails, FailureSummary } from './entries.ts'
import {
  type AdminLedger,
  comesAfter,
  createOrder,
  DEFAULT_OCCURRENCES,
  type ListQuery,
  MAX_RELEASES,
  matches,
  type ReadQuery,
} from './ledger.ts'
import { addTimes, latestById, selectRequests } from './times.ts'

type Ledgers = readonly [AdminLedger, ...AdminLedger[]]

/** Calls all ledgers at the same time, and returns their results in the same order. */
export function callAll<L, T>(ledgers: readonly L[], call: (ledger: L) => Promise<T>): Promise<T[]> {
  return Promise.all(ledgers.map(call))
}

/** Joins several ledgers into one, to read and to mark as solved. A failure that several have is listed once. */
export function joinLedgers(ledgers: Ledgers): AdminLedger {
  const [first, ...others] = ledgers
  if (others.length === 0) return first
  return {
    list: (query) => listJoined(ledgers, query),
    async read(fingerprint, query = {}) {
      const [one, ...more] = (await callAll(ledgers, ({ read }) => read(fingerprint, query))).filter(
        (found) => found !== null,
      )
      return one ? more.reduce((joined, next) => joinDetails(joined, next, query), one) : null
    },
    async fingerprints() {
      return [...new Set((await callAll(ledgers, ({ fingerprints }) => fingerprints())).flat())]
    },
    async releases() {
      const lists = await callAll(ledgers, ({ releases }) => releases())
      const longest = Math.max(...lists.map(({ length }) => length))
      // The lists have no times, so they cannot be merged by time.
      const byRank = Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? []))
      return [...new Set(byRank.flat())].slice(0, MAX_RELEASES)
    },
    async hours(sinceHour) {
      const counts = new Map<string, { fingerprint: string; hour: number; count: number }>()
      for (const { fingerprint, hour, count } of (await callAll(ledgers, ({ hours }) => hours(sinceHour))).flat()) {
        const key = `${fingerprint} ${hour}`
        counts.set(key, { fingerprint, hour, count: count + (counts.get(key)?.count ?? 0) })
      }
      return [...counts.values()]
    },
    async setSolved(fingerprint, at) {
      return (await callAll(ledgers, ({ setSolved }) => setSolved(fingerprint, at))).includes(true)
    },
    async times(sinceSlot) {
      const all = await callAll(ledgers, ({ times }) => times(sinceSlot))
      const slots = all.flatMap(({ oldestSlot }) => oldestSlot ?? [])
      return {
        steps: addTimes(all.flatMap(({ steps }) => steps)),
        requests: selectRequests(latestById(all.flatMap(({ requests }) => requests))),
        oldestSlot: slots.length > 0 ? Math.min(...slots) : null,
      }
    },
    async slowRequest(id) {
      const found = await callAll(ledgers, ({ slowRequest }) => slowRequest(id))
      return latestById(found.flatMap((request) => request ?? []))[0] ?? null
    },
  }
}

// The counts and times of a failure, and whether it is solved, are known once all ledgers have responded: only then can
// the list be narrowed, sorted and cut.
async function listJoined(ledgers: Ledgers, query: ListQuery): Promise<FailureSummary[]> {
  const { route, release, limit } = query
  const listAll = async (part: ListQuery) => (await callAll(ledgers, ({ list }) => list(part))).flat()
  const narrowing = [route === undefined ? [] : [{ route }], release === undefined ? [] : [{ release }]].flat()
  const [everything, ...narrowed] = await Promise.all([listAll({}), ...narrowing.map(listAll)])
  const failures = new Map<string, FailureSummary>()
  for (const one of everything) {
    const other = failures.get(one.fingerprint)
    failures.set(one.fingerprint, other ? joinSummaries(other, one) : one)
  }
  // Only the ledgers know the routes and the releases of their occurrences.
  const allowed = narrowed.map((found) => new Set(found.map(({ fingerprint }) => fingerprint)))
  return [...failures.values()]
    .filter(
      (summary) => matches(summary, query) && allowed.every((fingerprints) => fingerprints.has(summary.fingerprint)),
    )
    .sort(createOrder(query.sort))
    .filter(comesAfter(query))
    .slice(0, limit)
}

function joinSummaries<T extends FailureSummary>(a: T, b: T): T {
  const [newer, older] = a.lastSeen < b.lastSeen ? [b, a] : [a, b]
  // Only the server's failure is kept, as in a single ledger.
  if (newer.side !== older.side) return newer.side === 'server' ? newer : older
  const earlier = a.firstSeen <= b.firstSeen ? a : b
  return {
    ...newer,
    count: a.count + b.count,
    firstSeen: earlier.firstSeen,
    firstRelease: earlier.firstRelease,
    // The failure is open if it is open in one of the ledgers.
    solvedAt: newer.solvedAt === null || older.solvedAt === null ? null : Math.max(newer.solvedAt, older.solvedAt),
  }
}

function joinDetails(a: FailureDetails, b: FailureDetails, { limit = DEFAULT_OCCURRENCES, occurrence }: ReadQuery) {
  const joined = joinSummaries(a, b)
  const isRequested = ({ digest }: Occurrence) =>
    occurrence !== undefined && parseDigest(digest)?.occurrence === occurrence
  const occurrences = [a, b].flatMap((one) => (one.side === joined.side ? one.occurrences : []))
  occurrences.sort((one, other) => Number(isRequested(other)) - Number(isRequested(one)) || other.time - one.time)
  return { ...joined, occurrences: occurrences.slice(0, limit) }
}
