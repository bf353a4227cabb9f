import t from 'tap'
import { readRequest } from '../../../scripts/commands/errors.ts'
import { parseSince, readListQuery } from '../../../src/server/admin/list-query.ts'
import { findFailing } from '../../find-failing.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const HOUR = 3_600_000

const READ: readonly [string, number][] = [
  ['90s', NOW - 90_000],
  ['30m', NOW - HOUR / 2],
  ['24h', NOW - 24 * HOUR],
  ['7d', NOW - 7 * 24 * HOUR],
  ['2w', NOW - 14 * 24 * HOUR],
  ['999999999w', 0],
  ['2026-11-20', Date.UTC(2026, 10, 20)],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
  ['2026-11-20T10:00Z', Date.UTC(2026, 10, 20, 10)],
  ['2026-11-20T10:00:00.5+01:00', Date.UTC(2026, 10, 20, 9, 0, 0, 500)],
]
const REFUSED = [
  ...['yesterday', '7', '7x', '-7d', '1.5h', '7D', ' 7d', '9999999999s'],
  ...[
    '2026-13-45',
    '2026-02-30',
    '2026-02-29',
    '2026-11-20T10:00',
    '2026-11-20T25:00Z',
    '20-11-2026',
    '2026-11-20 10:00Z',
  ],
]

/** Returns the code of the error with which the command line refuses a text. */
function codeOf(text: string): unknown {
  try {
    return readRequest(null, { since: text }, NOW)
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
}

t.test('the command line and the API accept the same spans and dates', async (t) => {
  const failing = await findFailing(
    READ,
    ([text]) => {
      const request = readRequest(null, { since: text }, NOW)
      return [
        parseSince(text, NOW),
        'query' in request ? request.query.since : request,
        readListQuery(new URLSearchParams({ since: text }), NOW, 'v1').query,
      ]
    },
    ([, since]) => [since, since, { since }],
  )
  t.strictSame(failing, [])
})

t.test('the command line and the API refuse the same texts', async (t) => {
  const failing = await findFailing(
    REFUSED,
    (text) => {
      // The value of a query parameter is trimmed.
      const { problem } = readListQuery(new URLSearchParams({ since: text }), NOW, 'v1')
      return [parseSince(text, NOW), codeOf(text), text.trim() === text ? Boolean(problem) : true]
    },
    () => [null, 'HYD_CLI_USAGE', true],
  )
  t.strictSame(failing, [])
})
