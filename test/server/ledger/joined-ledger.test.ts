import t, { type Test } from 'tap'
import type { LedgerEntry } from '../../../src/server/ledger/entries.ts'
import { joinLedgers } from '../../../src/server/ledger/joined-ledger.ts'
import { type ListQuery, placeOfFailure } from '../../../src/server/ledger/ledger.ts'
import { createMemoryLedger } from '../../../src/server/ledger/memory-ledger.ts'
import { slotOf } from '../../../src/server/ledger/times.ts'
import { entry, entryOfAll, LIMITS, NOW, name } from './entries.ts'
import { place, slowRequest } from './times-entries.ts'

async function join(t: Pick<Test, 'teardown'>, ...batches: LedgerEntry[][]) {
  const [one, other] = [createMemoryLedger(LIMITS), createMemoryLedger(LIMITS)]
  t.teardown(() => Promise.all([one.close(), other.close()]))
  await one.record(batches[0] ?? [])
  await other.record(batches[1] ?? [])
  const ledger = joinLedgers([one, other])
  const list = async (query: ListQuery) => (await ledger.list(query)).map(({ fingerprint }) => fingerprint[0]).join('')
  return { one, other, ledger, list }
}

const times = (fingerprint: string, count: number, time: number, release = 'r1') => ({
  ...entry({ fingerprint, time, release, route: `/${release}` }),
  count,
})

t.test('a list has the requested order, as if it came from one ledger', async (t) => {
  const { list, ledger } = await join(
    t,
    [times('AAAAAAAA', 3, NOW + 1), times('BBBBBBBB', 4, NOW + 2)],
    [times('AAAAAAAA', 3, NOW + 9), times('CCCCCCCC', 5, NOW + 5)],
  )
  t.equal(await list({}), 'ACB')
  t.equal(await list({ sort: 'first' }), 'CBA')
  t.equal(await list({ sort: 'count' }), 'ACB', 'counts are added up before they are compared')
  t.equal(await list({ sort: 'count', limit: 1 }), 'A')
  t.match(await ledger.list({ limit: 1 }), [{ count: 6, firstSeen: NOW + 1, lastSeen: NOW + 9 }])
})

for (const sort of ['last', 'first', 'count'] as const) {
  t.test(`pages by ${sort} list each failure once, whatever ledger has it`, async (t) => {
    const all = Array.from({ length: 23 }, (_, index) => times(name(index), 1 + (index % 4), NOW + (index % 3)))
    const again = all.filter((_, index) => index % 5 === 0)
    const { ledger } = await join(
      t,
      all.filter((_, index) => index % 2 === 0),
      [...all.filter((_, index) => index % 2 === 1), ...again.filter((_, index) => index % 2 === 0)],
    )
    const whole = (await ledger.list({ sort })).map(({ fingerprint }) => fingerprint)
    t.equal(new Set(whole).size, 23)
    const found: string[] = []
    let query: ListQuery = { sort, limit: 5 }
    for (let page = 0; page < 6; page++) {
      const failures = await ledger.list(query)
      found.push(...failures.map(({ fingerprint }) => fingerprint))
      const last = failures.at(-1)
      if (last) query = { ...query, after: placeOfFailure(last, sort) }
    }
    t.strictSame(found, whole)
  })
}

t.test('filters of a list use the data of all ledgers', async (t) => {
  const { one, list, ledger } = await join(
    t,
    [times('AAAAAAAA', 1, NOW + 1, 'r1'), times('BBBBBBBB', 1, NOW + 2, 'r2')],
    [times('AAAAAAAA', 1, NOW + 9, 'r2'), times('CCCCCCCC', 1, NOW + 5, 'r3')],
  )
  t.equal(await list({ release: 'r1' }), 'A')
  t.equal(await list({ release: 'r2' }), 'AB')
  t.equal(await list({ firstRelease: 'r1' }), 'A')
  t.equal(await list({ firstRelease: 'r2' }), 'B', 'it was in r1 before, in the other ledger')
  t.equal(await list({ route: '/r1', release: 'r2' }), 'A')
  t.equal(await list({ route: '/r2', release: 'r3' }), '')
  t.equal(await list({ since: NOW + 3 }), 'AC')
  t.equal(await list({ side: 'client' }), '')
  t.equal(await list({ search: 'bbbb' }), 'B')
  t.strictSame((await ledger.releases()).toSorted(), ['r1', 'r2', 'r3'])
  await one.setSolved('AAAAAAAA', NOW + 10)
  t.equal(await list({ isSolved: false }), 'ACB', 'open while it is open anywhere')
  for (const fingerprint of ['AAAAAAAA', 'CCCCCCCC']) t.equal(await ledger.setSolved(fingerprint, NOW + 10), true)
  t.equal(await list({ isSolved: false }), 'B')
  t.equal(await list({ isSolved: true }), 'AC')
  t.equal(await ledger.setSolved('DDDDDDDD', NOW), false)
})

t.test('a failure has the occurrences and hours of all ledgers', async (t) => {
  const first = entryOfAll([{ time: NOW + 1, digest: 'AAAAAAAA-000001' }])
  const later = entryOfAll([{ time: NOW + 2, digest: 'AAAAAAAA-000002' }])
  const { ledger } = await join(t, [first], [later, entry({ fingerprint: 'BBBBBBBB' })])
  const digestsOf = async (query: Parameters<typeof ledger.read>[1]) =>
    (await ledger.read('AAAAAAAA', query))?.occurrences.map(({ digest }) => digest)
  t.strictSame(await digestsOf({}), ['AAAAAAAA-000002', 'AAAAAAAA-000001'])
  t.strictSame(await digestsOf({ occurrence: '000001', limit: 1 }), ['AAAAAAAA-000001'])
  t.equal(await ledger.read('CCCCCCCC'), null)
  t.strictSame((await ledger.fingerprints()).toSorted(), ['AAAAAAAA', 'BBBBBBBB'])
  t.match(
    (await ledger.hours(0)).filter(({ fingerprint }) => fingerprint === 'AAAAAAAA'),
    [{ count: 2 }],
  )
})

t.test('if two sides have the same fingerprint, the server’s failure stays', async (t) => {
  const { ledger } = await join(t, [entry({ time: NOW })], [entry({ side: 'client', time: NOW + 5 })])
  t.match(await ledger.list({}), [{ side: 'server', count: 1, lastSeen: NOW }])
  t.match(await ledger.read('AAAAAAAA'), { side: 'server', occurrences: { length: 1 } })
})

t.test('the times of all ledgers are added up, and each request is listed once', async (t) => {
  const { one, other, ledger } = await join(t)
  const slot = slotOf(NOW)
  const [first, second] = [place('a', { count: 2, maxMs: 3 }), place('a', { count: 5, maxMs: 9 })]
  const requests = [slowRequest('R-1', { durationMs: 60 }), slowRequest('R-2', { durationMs: 80 })]
  const again = slowRequest('r-1', { durationMs: 60, path: '/other' })
  await one.recordTimes({ writer: 'w1', slot, steps: [first], requests })
  await other.recordTimes({ writer: 'w2', slot, steps: [second], requests: [again, slowRequest('R-3')] })
  const times = await ledger.times(slot)
  t.match(times.steps, [{ subject: 'a', count: 7, maxMs: 9 }])
  t.equal(times.steps.length, 1)
  t.strictSame(
    times.requests.map(({ id }) => id),
    ['R-3', 'R-2', 'R-1'],
  )
  t.strictSame(await ledger.times(slot + 1), { steps: [], requests: [], oldestSlot: slot })
  t.strictSame(await ledger.slowRequest('R-1'), requests[0])
  t.match(await ledger.slowRequest('R-3'), { id: 'R-3' })
  t.equal(await ledger.slowRequest('R-4'), null)
  const later = slowRequest('r-2', { time: NOW + 1, path: '/later' })
  await other.recordTimes({ writer: 'w2', slot: slot - 1, steps: [second], requests: [later] })
  t.strictSame(await ledger.slowRequest('R-2'), later, 'the latest of an id')
  t.match(
    (await ledger.times(slot)).requests.find(({ id }) => id === 'r-2'),
    later,
  )
  t.equal((await ledger.times(slot)).oldestSlot, slot - 1)
})
