import type { Column } from '../rows.ts'
import { addTimes, compareRequests, oldestOf, type ReadTimes, type SlowRequest, type TimesBatch } from '../times.ts'
import {
  fromRequestRow,
  fromTimesRow,
  REQUEST_ROW,
  TIMES_ROW,
  type TimesRow,
  timesSql,
  toRequestKey,
  toRequestRows,
  toTimesRows,
} from '../times-rows.ts'
import type { Database } from './database.ts'

const SQL = timesSql('')

/** Twice what the rows have: pages are at least half full. The numbers and the index of a row have up to 100 bytes. */
const BYTES = `SELECT 2 * (
  (SELECT coalesce(sum(100 + length(CAST(writer || route || subject || counts AS BLOB))), 0) FROM times) +
  (SELECT coalesce(sum(100 + length(CAST(id || route || data AS BLOB))), 0) FROM slow_requests))`

/** Returns functions for the times of a file, in this thread. */
export function createSqliteTimes(db: Database) {
  const remove = db.prepare(SQL.removeTimes)
  const addStep = db.prepare(SQL.addTimes(placesOf(TIMES_ROW)))
  const addRequest = db.prepare(SQL.addRequests(placesOf(REQUEST_ROW)))
  const removeOldTimes = db.prepare(SQL.removeOldTimes)
  const removeOldRequests = db.prepare(SQL.removeOldRequests)
  const removeExcessTimes = db.prepare(SQL.removeExcessTimes)
  const removeExcessRequests = db.prepare(SQL.removeExcessRequests)
  const times = db.prepare<[object], TimesRow>(SQL.times)
  const requests = db.prepare<[object], { data: string }>(SQL.requests)
  const oldestSlot = db.prepare<[], number | null>(SQL.oldestSlot).pluck()
  const request = db.prepare<[object], { data: string }>(SQL.request)
  const bytes = db.prepare<[], number>(BYTES).pluck()

  return {
    /** Must be called in a transaction. */
    record(batch: TimesBatch) {
      remove.run({ 1: batch.slot, 2: batch.writer })
      for (const row of toTimesRows(batch)) addStep.run(row)
      for (const row of toRequestRows(batch)) addRequest.run(row)
      const oldest = { 1: oldestOf(batch.slot) }
      removeOldTimes.run(oldest)
      removeOldRequests.run(oldest)
      removeExcessTimes.run()
      removeExcessRequests.run()
    },
    read: (sinceSlot: number): ReadTimes => ({
      steps: addTimes(times.all({ 1: sinceSlot }).map(fromTimesRow)),
      requests: requests.all({ 1: sinceSlot }).map(fromRequestRow).sort(compareRequests),
      oldestSlot: oldestSlot.get() ?? null,
    }),
    readRequest(id: string): SlowRequest | null {
      const row = request.get({ 1: toRequestKey(id) })
      return row ? fromRequestRow(row) : null
    },
    /** Returns at least the size of the pages that the times take. */
    countBytes: () => bytes.get() ?? 0,
  }
}

/** Values that are given by the names of the columns. */
function placesOf(columns: readonly Column[]): string {
  return `VALUES (${columns.map(({ name }) => `$${name}`).join(', ')})`
}
