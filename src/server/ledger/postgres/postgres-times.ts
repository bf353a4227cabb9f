import type { PoolClient } from 'pg'
import { type Column, definitionsOf, namesOf } from '../rows.ts'
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

const SQL = timesSql('hydrant_', 'FOR UPDATE SKIP LOCKED')
const ADD_TIMES = SQL.addTimes(rowsOf(TIMES_ROW))
const ADD_REQUESTS = SQL.addRequests(`${rowsOf(REQUEST_ROW)} ORDER BY id COLLATE "C"`)

/** The key of the advisory lock for pruning: any number that no other program uses. */
const PRUNING_LOCK = 4_870_114_204

// Prevents deadlocks: servers that write the same requests do so in the same order, and before they lock other rows.
// Then they lock only their own rows, or remove rows, which one server does at a time. It skips requests that others
// write.

/** Must be called in a transaction. */
export async function recordTimes(client: PoolClient, batch: TimesBatch): Promise<void> {
  // The rows have no character that PostgreSQL cannot store.
  await client.query(ADD_REQUESTS, [JSON.stringify(toRequestRows(batch))])
  await client.query(SQL.removeTimes, [batch.slot, batch.writer])
  await client.query(ADD_TIMES, [JSON.stringify(toTimesRows(batch))])
  const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [PRUNING_LOCK])
  if (!rows[0]?.mine) return
  const oldest = oldestOf(batch.slot)
  await client.query(SQL.removeOldTimes, [oldest])
  await client.query(SQL.removeOldRequests, [oldest])
  await client.query(SQL.removeExcessTimes)
  await client.query(SQL.removeExcessRequests)
}

export async function readTimes(client: PoolClient, sinceSlot: number): Promise<ReadTimes> {
  const { rows: times } = await client.query<TimesRow>(SQL.times, [sinceSlot])
  const { rows: requests } = await client.query<{ data: string }>(SQL.requests, [sinceSlot])
  const { rows: oldest } = await client.query<{ slot: number | null }>(SQL.oldestSlot)
  return {
    steps: addTimes(times.map(fromTimesRow)),
    requests: requests.map(fromRequestRow).sort(compareRequests),
    oldestSlot: oldest[0]?.slot ?? null,
  }
}

export async function readSlowRequest(client: PoolClient, id: string): Promise<SlowRequest | null> {
  const { rows } = await client.query<{ data: string }>(SQL.request, [toRequestKey(id)])
  return rows[0] ? fromRequestRow(rows[0]) : null
}

/** Returns the query for the rows that the first parameter has, as JSON. */
function rowsOf(columns: readonly Column[]): string {
  return `SELECT ${namesOf(columns)} FROM jsonb_to_recordset($1) AS r (${definitionsOf(columns)})`
}
