import t from 'tap'
import { addRecord, cutOccurrences, mergeEntry, toEntry } from '../../../src/server/ledger/entries.ts'
import { entry, failure, HOUR_MS, NOW } from './entries.ts'

t.test('failures added one after another give the same result as their entries', async (t) => {
  const times = Array.from({ length: 30 }, (_, index) => NOW + index * (HOUR_MS / 7))
  const failures = times.map((time, index) =>
    failure({ time, digest: `AAAAAAAA-${index}`, message: `no price for ${index}` }),
  )
  const [gathered, added] = [entry(), entry()]
  for (const one of failures) {
    mergeEntry(gathered, toEntry(one), 10)
    addRecord(added, one)
  }
  t.equal(cutOccurrences(added, 10).length, 21)
  t.strictSame(added, gathered)
  t.equal(added.count, 31)
  t.equal(Object.keys(added.hours).length, 5)
  t.equal(
    Object.values(added.hours).reduce((sum, count) => sum + count),
    31,
  )
  t.strictSame(
    added.occurrences.map(({ digest }) => digest),
    ['AAAAAAAA-000001', ...failures.slice(-9).map(({ digest }) => digest)],
    'the very first and the newest',
  )
})

t.test('an occurrence contains everything that differs between occurrences', async (t) => {
  const all = failure({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), pending: ['load of pages/index.server.ts'] })
  const { fingerprint: _, side: __, error: ___, ...occurrence } = all
  t.strictSame(toEntry(all).occurrences, [occurrence])
  const without = failure()
  t.strictSame(Object.keys(toEntry(without).occurrences[0] ?? {}).length, Object.keys(without).length - 3)
})
