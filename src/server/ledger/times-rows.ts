// The tables of times, which are the same in both databases but for the prefix of their names.

import { type Column, columnOf, namesOf, type Row } from './rows.ts'
import {
  addTimes,
  latestById,
  MAX_READ_REQUESTS,
  MAX_SLOW_REQUESTS,
  MAX_SLOWEST,
  MAX_TIMES,
  type SlowRequest,
  type StepTimes,
  slotOf,
  type TimesBatch,
} from './times.ts'

const NUMBERS = ['count', 'sumMs', 'maxMs', 'blockedMs', 'bytes', 'maxBytes'] as const

const KEY_COLUMNS: readonly Column[] = [
  { name: 'slot', type: 'bigint' },
  { name: 'writer', type: 'text' },
  { name: 'route', type: 'text' },
  { name: 'kind', type: 'text' },
  { name: 'subject', type: 'text' },
]
const VALUE_COLUMNS: readonly Column[] = [
  ...NUMBERS.map((field) => ({ name: columnOf(field), type: 'double precision' as const })),
  { name: 'counts', type: 'text' },
]
export const TIMES_ROW: readonly Column[] = [...KEY_COLUMNS, ...VALUE_COLUMNS]
export const REQUEST_ROW: readonly Column[] = [
  { name: 'id', type: 'text' },
  { name: 'time', type: 'double precision' },
  { name: 'slot', type: 'bigint' },
  { name: 'route', type: 'text' },
  { name: 'duration_ms', type: 'double precision' },
  { name: 'data', type: 'text' },
]

/** Returns the rows of a batch, each key once. */
export function toTimesRows({ slot, writer, steps }: TimesBatch): Row[] {
  const storable = steps.map((times) => ({ ...times, route: toKey(times.route), subject: toKey(times.subject) }))
  return addTimes(storable).map(({ route, kind, subject, counts, ...numbers }) => ({
    ...{ slot, writer, route, kind, subject, counts: JSON.stringify(counts) },
    ...Object.fromEntries(NUMBERS.map((field) => [columnOf(field), numbers[field]])),
  }))
}

/** A row of `timesSql`. */
export type TimesRow = Omit<StepTimes, 'counts'> & { counts: string }

export function fromTimesRow(row: TimesRow): StepTimes {
  return { ...row, counts: JSON.parse(row.counts) }
}

/** Returns the rows of the requests of a batch, each id once. */
export function toRequestRows({ requests }: TimesBatch): Row[] {
  const rows = latestById(requests).map((request) => {
    const { id, time, route, durationMs } = request
    const keys = { id: toRequestKey(id), slot: slotOf(time), route: toKey(route) }
    return { ...keys, time, duration_ms: durationMs, data: JSON.stringify(request) }
  })
  // Ids may be equal as they are stored.
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

export function fromRequestRow({ data }: { data: string }): SlowRequest {
  return JSON.parse(data)
}

/** Returns the text by which a request is found: its id, ignoring case. */
export function toRequestKey(id: string): string {
  return toKey(id).toLowerCase()
}

/** An entry of an index has at most 2704 bytes in PostgreSQL. A key has two texts, of three bytes a character. */
const MAX_KEY_LENGTH = 400

/** Cuts a text, and replaces what one of the databases cannot store: NUL and lone surrogates. */
function toKey(text: string): string {
  return text.slice(0, MAX_KEY_LENGTH).replace(/[\0\p{Surrogate}]/gu, '\ufffd')
}

/** Returns the statements for tables with this prefix. `lock` follows the query for the requests to be removed. */
export function timesSql(prefix: string, lock = '') {
  const times = `${prefix}times`
  const requests = `${prefix}slow_requests`
  const key = namesOf(KEY_COLUMNS)
  const updates = VALUE_COLUMNS.map(({ name }) => `${name} = excluded.${name}`)
  const fields = NUMBERS.map((field) => `${columnOf(field)} AS "${field}"`)
  const requestUpdates = REQUEST_ROW.slice(1).map(({ name }) => `${name} = excluded.${name}`)
  const removeRequests = (which: string) =>
    `DELETE FROM ${requests} WHERE id IN (SELECT id FROM ${requests} WHERE ${which} ${lock})`
  return {
    removeTimes: `DELETE FROM ${times} WHERE slot = $1 AND writer = $2`,
    /** `rows`: values, or a query. */
    addTimes: (rows: string) =>
      `INSERT INTO ${times} (${namesOf(TIMES_ROW)}) ${rows} ON CONFLICT (${key}) DO UPDATE SET ${updates.join(', ')}`,
    addRequests: (rows: string) =>
      `INSERT INTO ${requests} AS r (${namesOf(REQUEST_ROW)}) ${rows}
        ON CONFLICT (id) DO UPDATE SET ${requestUpdates.join(', ')} WHERE excluded.time > r.time`,
    removeOldTimes: `DELETE FROM ${times} WHERE slot < $1`,
    removeOldRequests: removeRequests('slot < $1'),
    // Of the oldest slot that has a place left, what took the longest stays.
    removeExcessTimes: `DELETE FROM ${times} WHERE (${key}) IN
      (SELECT ${key} FROM ${times} ORDER BY slot DESC, sum_ms DESC LIMIT ${MAX_TIMES} OFFSET ${MAX_TIMES})`,
    removeExcessRequests: removeRequests(`id IN
      (SELECT id FROM ${requests} ORDER BY slot DESC, duration_ms DESC, id
        LIMIT ${MAX_SLOW_REQUESTS} OFFSET ${MAX_SLOW_REQUESTS})`),
    times: `SELECT route, kind, subject, ${fields.join(', ')}, counts FROM ${times} WHERE slot >= $1`,
    oldestSlot: `SELECT min(slot) AS slot FROM ${times}`,
    // As `selectRequests` does.
    requests: `SELECT data FROM ${requests} WHERE id IN (
      SELECT id FROM (
        SELECT id, duration_ms,
          row_number() OVER (ORDER BY duration_ms DESC, id) AS place,
          row_number() OVER (PARTITION BY route ORDER BY duration_ms DESC, id) AS place_in_route
        FROM ${requests} WHERE slot >= $1
      ) ranked
      ORDER BY CASE WHEN place <= ${MAX_SLOWEST} THEN 0 ELSE place_in_route END, duration_ms DESC, id
      LIMIT ${MAX_READ_REQUESTS}
    )`,
    request: `SELECT data FROM ${requests} WHERE id = $1`,
  }
}
