// The contract of every ledger for the order of its lists, and for releases.

import type { Test } from 'tap'
import type { FailureSummary } from '../../../src/server/ledger/entries.ts'
import {
  formatPlace,
  type Ledger,
  type ListQuery,
  parsePlace,
  placeOfFailure,
} from '../../../src/server/ledger/ledger.ts'
import { type CreateLedger, entry, entryOfAll, LIMITS, NOW, name } from './entries.ts'

const namesOf = (failures: readonly FailureSummary[]) => failures.map(({ fingerprint }) => fingerprint[0]).join('')

export function testOrders(t: Test, createLedger: CreateLedger) {
  t.test('lists in the requested order', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    await ledger.record([
      entryOfAll([
        { fingerprint: 'AAAAAAAA', time: NOW },
        { fingerprint: 'AAAAAAAA', time: NOW + 9 },
      ]),
      { ...entry({ fingerprint: 'BBBBBBBB', time: NOW + 5 }), count: 7 },
      entry({ fingerprint: 'CCCCCCCC', time: NOW + 6 }),
    ])
    t.equal(namesOf(await ledger.list({})), 'ACB')
    t.equal(namesOf(await ledger.list({ sort: 'last' })), 'ACB')
    t.equal(namesOf(await ledger.list({ sort: 'first' })), 'CBA')
    t.equal(namesOf(await ledger.list({ sort: 'count' })), 'BAC')
    t.equal(namesOf(await ledger.list({ sort: 'count', limit: 1 })), 'B')
  })

  for (const sort of ['last', 'first', 'count'] as const) {
    t.test(`pages through a list by ${sort} and lists each failure once`, async (t) => {
      const ledger = await createLedger(t, LIMITS)
      // Many values are equal: their names decide the order.
      const all = Array.from({ length: 23 }, (_, index) => ({
        ...entry({ fingerprint: name(index), time: NOW + (index % 3) }),
        count: 1 + (index % 4),
      }))
      await ledger.record(all)
      const whole = (await ledger.list({ sort })).map(({ fingerprint }) => fingerprint)
      const found: string[] = []
      let query: ListQuery = { sort, limit: 5 }
      for (let page = 0; page < 10; page++) {
        const failures = await ledger.list(query)
        found.push(...failures.map(({ fingerprint }) => fingerprint))
        const last = failures.at(-1)
        if (last === undefined) break
        // The position as a URL contains it.
        const after = parsePlace(formatPlace(placeOfFailure(last, sort)))
        if (after === null) return t.fail('a place cannot be read')
        query = { ...query, after }
      }
      t.strictSame(found, whole)
      t.equal(new Set(found).size, 23)
    })
  }

  t.test('a page continues after its position, even if the failure there has moved or was removed', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    await ledger.record([1, 2, 3, 4].map((number) => entry({ fingerprint: name(number), time: NOW + number })))
    const [, third] = await ledger.list({ limit: 2 })
    if (third === undefined) return t.fail('there is no second failure')
    await ledger.record([entry({ fingerprint: name(3), time: NOW + 50 })])
    const next = await ledger.list({ limit: 2, after: placeOfFailure(third) })
    t.strictSame(
      next.map(({ fingerprint }) => fingerprint),
      [name(2), name(1)],
    )
    t.strictSame(await ledger.list({ after: { value: 0, fingerprint: 'AAAAAAAA', side: 'server' } }), [])
  })
}

export function testReleases(t: Test, createLedger: CreateLedger) {
  async function fill(t: Test): Promise<Ledger> {
    const ledger = await createLedger(t, LIMITS)
    await ledger.record([entryOfAll([1, 2, 3].map((at) => ({ time: NOW + at, release: `r${at}`, build: `b${at}` })))])
    await ledger.record([entry({ fingerprint: 'BBBBBBBB', time: NOW + 4, release: 'r2', build: 'b2' })])
    await ledger.record([entry({ fingerprint: 'CCCCCCCC', time: NOW + 5, release: 'r3', build: 'b3' })])
    return ledger
  }

  t.test('lists failures of a release, and failures that were first seen in it', async (t) => {
    const ledger = await fill(t)
    t.equal(namesOf(await ledger.list({ release: 'r1' })), 'A', 'its first release')
    t.equal(namesOf(await ledger.list({ release: 'r2' })), 'BA', 'one between')
    t.equal(namesOf(await ledger.list({ release: 'r3' })), 'CA', 'its last release')
    t.equal(namesOf(await ledger.list({ release: 'r%' })), '')
    t.equal(namesOf(await ledger.list({ release: 'b2' })), '', 'a build is no release')
    t.equal(namesOf(await ledger.list({ firstRelease: 'r2' })), 'B')
    t.equal(namesOf(await ledger.list({ firstRelease: 'r3', release: 'r3', sort: 'count', limit: 1 })), 'C')
  })

  t.test('knows the releases with failures, and no builds', async (t) => {
    const ledger = await fill(t)
    t.strictSame(await ledger.releases(), ['r3', 'r2', 'r1'])
    await ledger.record([entry({ time: NOW + 9, release: 'b9', build: 'b9' })])
    t.strictSame(await ledger.releases(), ['b9', 'r3', 'r2', 'r1'], 'a build whose id is its release')
  })
}
