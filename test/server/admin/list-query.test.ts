import t from 'tap'
import { readListQuery, readTolerantListQuery } from '../../../src/server/admin/list-query.ts'

const NOW = Date.parse('2026-01-31T12:00:00Z')
const read = (search: string) => readListQuery(new URLSearchParams(search), NOW, 'v2')

t.test('reads every field', async (t) => {
  const after = { value: 12, fingerprint: '7K2M9QX4', side: 'server' } as const
  const text =
    'side=client&route=/a&search=x%20y&solved=true&limit=5&since=24h&release=v1&sort=count&after=12.7K2M9QX4.server'
  t.strictSame(read(text).query, {
    since: NOW - 86_400_000,
    ...{ release: 'v1', sort: 'count', after },
    side: 'client',
    route: '/a',
    search: 'x y',
    isSolved: true,
    limit: 5,
  })
})

t.test('new failures are those first seen in the named release, or in the current one', async (t) => {
  t.strictSame(read('new=true').query, { firstRelease: 'v2' })
  t.strictSame(read('new=true&release=v1').query, { release: 'v1', firstRelease: 'v1' })
  t.strictSame(read('new=false').query, {})
})

t.test('empty and unknown fields do not count', async (t) => {
  t.strictSame(read('side=&route=&search=%20&solved=&limit=&since=&other=1').query, {})
})

t.test('a time is a duration until now, or a date', async (t) => {
  for (const [text, since] of [
    ['30m', NOW - 1_800_000],
    ['7d', NOW - 7 * 86_400_000],
    ['90s', NOW - 90_000],
    ['2w', NOW - 14 * 86_400_000],
    ['2026-01-31', NOW - 12 * 3_600_000],
    ['2026-01-31T11:00:00Z', NOW - 3_600_000],
    ['2026-01-31T12:00:00%2B01:00', NOW - 3_600_000],
  ] as const)
    t.strictSame(read(`since=${text}`).query, { since }, text)
})

t.test('names the valid values of an invalid field', async (t) => {
  for (const [search, problem] of [
    ['since=yesterday', /^"since" must be like 30m/],
    ['since=2026-13-01', /^"since"/],
    ['since=31/01/2026', /^"since"/],
    ['side=middle', /^"side" must be server or client\.$/],
    ['solved=yes', /^"solved" must be true or false\.$/],
    ['limit=0', /^"limit" must be a whole number from 1 to 1000\.$/],
    ['limit=1e3', /^"limit"/],
    ['new=1', /^"new" must be true or false\.$/],
    ['sort=lastSeen', /^"sort" must be last, first or count\.$/],
    ['after=7', /^"after" must be the value of "next" in the previous page\.$/],
    ['after=12.7K2M9QX4.both', /^"after"/],
  ] as const) {
    const result = read(search)
    t.match(result.problem, problem, search)
    t.equal(result.query, null)
  }
})

t.test('a tolerant reader leaves out invalid fields, and describes each', async (t) => {
  const params = new URLSearchParams('sort=bad&side=server&since=yesterday&release=v1')
  t.strictSame(readTolerantListQuery(params, NOW, 'v2'), {
    query: { side: 'server', release: 'v1' },
    problems: {
      since: '"since" must be like 30m, 24h, 7d, 2026-11-21 or 2026-11-21T19:00:00Z.',
      sort: '"sort" must be last, first or count.',
    },
  })
})
