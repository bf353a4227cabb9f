import type { LedgerEntry } from '../../../src/server/ledger/entries.ts'
import { toFailureRow } from '../../../src/server/ledger/rows.ts'

/** A row of a table, by column. */
export interface Row {
  table: 'releases' | 'causes' | 'occurrences' | 'hours'
  values: Record<string, string | number | boolean | null>
}

/** Returns the rows that the first versions wrote for an entry, when a fingerprint was called a cause. */
export function earlierRows(entry: LedgerEntry): Row[] {
  const { fingerprint: cause, hours, occurrences } = entry
  const { last_build: _, fingerprint: __, ...others } = toFailureRow(entry)
  return [
    { table: 'causes', values: { cause, ...others } },
    ...occurrences.map((occurrence): Row => {
      const { digest, time, route, isRecovered } = occurrence
      const data = JSON.stringify(occurrence)
      return { table: 'occurrences', values: { cause, digest, time, route, is_recovered: isRecovered, data } }
    }),
    ...Object.entries(hours).map(
      ([hour, count]): Row => ({ table: 'hours', values: { cause, hour: Number(hour), count } }),
    ),
  ]
}

/** Returns the releases of the entries, each once. */
export function earlierReleases(entries: readonly LedgerEntry[], firstMet: number): Row[] {
  const releases = new Set(entries.flatMap(({ occurrences }) => occurrences.map(({ release }) => release)))
  return [...releases].map((release) => ({ table: 'releases', values: { release, first_met: firstMet } }))
}

/** `place(1)` returns the database's syntax for its first parameter. */
export function insertSql({ table, values }: Row, prefix: string, place: (number: number) => string): string {
  const columns = Object.keys(values)
  return `INSERT INTO ${prefix}${table} (${columns}) VALUES (${columns.map((_, index) => place(index + 1))})`
}
