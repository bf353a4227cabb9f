import type { Column } from '../rows.ts'
import {
  addTimes,
  compareRequests,
  oldestOf,
  SLOT_MS,
  type SlowRequest,
  type Times,
  type TimesBatch,
} from '../times.ts'
import {
  fromRequestRow,
  fromTimesRow,
  REQUEST_ROW,
  TIMES_ROW,
  type TimesRow,
  timesSql,
  toRequestKey,
  toRequestRow,
  toTimesRows,
} from '../times-rows.ts'
import type { Database } from './database.ts'

const SQL = timesSql('')

/** Twice what the rows have: pages are at least half full. The numbers and the index of a row have up to 100 bytes. */
const BYTES = `SELECT 2 * (
  (SELECT coalesce(sum(100 + length(CAST(writer || route || subject || counts AS BLOB))), 0) FROM times) +
  (SELECT coalesce(sum(100 + length(CAST(id || data AS BLOB))), 0) FROM slow_requests))`

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
  const request = db.prepare<[object], { data: string }>(SQL.request)
  const bytes = db.prepare<[], number>(BYTES).pluck()

  return {
    /** Must be called in a transaction. */
    record(batch: TimesBatch) {
      remove.run({ 1: batch.slot, 2: batch.writer })
      for (const row of toTimesRows(batch)) addStep.run(row)
      for (const one of batch.requests) addRequest.run(toRequestRow(one))
      const oldest = oldestOf(batch.slot)
      removeOldTimes.run({ 1: oldest.slot })
      removeOldRequests.run({ 1: oldest.time })
      removeExcessTimes.run()
      removeExcessRequests.run()
    },
    read: (sinceSlot: number): Times => ({
      steps: addTimes(times.all({ 1: sinceSlot }).map(fromTimesRow)),
      requests: requests
        .all({ 1: sinceSlot * SLOT_MS })
        .map(fromRequestRow)
        .sort(compareRequests),
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
