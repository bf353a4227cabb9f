import { mock } from 'node:test'
import t from 'tap'
import type { LedgerEntry } from '../../../src/server/ledger/entries.ts'
import type { Kept } from '../../../src/server/ledger/ledger.ts'
import { createLedgerWriter } from '../../../src/server/ledger/ledger-writer.ts'
import { until } from '../../until.ts'
import { failure, NOW, name } from './entries.ts'

interface Line {
  level: 'info' | 'warn'
  text: string
  details: unknown
}

/** Returns a writer with a ledger that rejects while `isBroken` is true, and with a log. */
function createFake(maxCharacters?: number) {
  const batches: LedgerEntry[][] = []
  const lines: Line[] = []
  const handed: (readonly LedgerEntry[])[] = []
  const fake = { isBroken: false, place: 'stored' as Kept, calls: 0, handed, batches, lines }
  const write = (level: Line['level']) => (details: unknown, text?: string) =>
    void lines.push({ level, details, text: text ?? String(details) })
  const writer = createLedgerWriter(
    {
      async record(entries) {
        fake.calls++
        handed.push(entries)
        if (fake.isBroken) throw new Error('no disk')
        batches.push([...entries])
        return fake.place
      },
    },
    // The cast is safe because only these signatures of pino are used here.
    { warn: write('warn'), info: write('info') },
    maxCharacters,
  )
  return { fake, writer }
}

t.test('collects failures that come close together, by fingerprint', async (t) => {
  const { fake, writer } = createFake()
  for (let time = 0; time < 5; time++) writer.add(failure({ time: NOW + time }))
  writer.add(failure({ fingerprint: 'BBBBBBBB' }))
  t.strictSame(writer.stats(), { queued: 6, dropped: 0, written: 0, inMemory: 0 })
  await until(() => fake.batches.length > 0)
  t.match(fake.batches, [
    [
      { fingerprint: 'AAAAAAAA', count: 5, firstSeen: NOW, lastSeen: NOW + 4, occurrences: { length: 5 } },
      { fingerprint: 'BBBBBBBB', count: 1 },
    ],
  ])
  t.strictSame(writer.stats(), { queued: 0, dropped: 0, written: 6, inMemory: 0 })
  t.strictSame(fake.lines, [])
})

t.test('a frequent failure takes no space from others', async (t) => {
  // The size of about 300 occurrences, of which far fewer wait.
  const { fake, writer } = createFake(100_000)
  for (let time = 0; time < 320; time++) writer.add(failure({ time: NOW + time }))
  writer.add(failure({ fingerprint: 'BBBBBBBB' }))
  t.match(writer.stats(), { queued: 321, dropped: 0 })
  await until(() => fake.batches.length > 0)
  t.match(fake.batches, [[{ count: 320, occurrences: { length: 100 } }, { count: 1 }]])
})

t.test('in a storm with more failures than are kept, the writer is called less often', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { fake, writer } = createFake()
  const written = () => writer.stats().written
  async function pass(ms: number) {
    mock.timers.tick(ms)
    // A written batch is reported after a few microtasks.
    await new Promise(setImmediate)
  }
  const addMany = (count: number) => {
    for (let time = 0; time < count; time++) writer.add(failure({ time: NOW + time }))
  }
  addMany(1_000)
  await pass(200)
  t.equal(written(), 1_000, 'the first batch comes as soon as ever')
  addMany(1_000)
  await pass(200)
  t.equal(written(), 1_000)
  await pass(800)
  t.equal(written(), 2_000, 'the next one within a second')
  addMany(10)
  await pass(1_000)
  t.equal(written(), 2_010)
  addMany(10)
  await pass(200)
  t.equal(written(), 2_020, 'and then it is over')
  t.equal(fake.batches.length, 4)
})

t.test('waiting failures are limited by size, whatever visitors write into URLs', async (t) => {
  const maxCharacters = 1_000_000
  const { fake, writer } = createFake(maxCharacters)
  fake.isBroken = true
  const path = `/${'x'.repeat(2_000)}`
  for (let round = 0; round < 20; round++) {
    for (let number = 0; number < 100; number++) writer.add(failure({ fingerprint: name(number), path }))
    // A failure that cannot be written stays unchanged. Later ones wait after it.
    await writer.flush()
  }
  for (let number = 0; number < 1_000; number++) writer.add(failure({ fingerprint: `B${name(number, 7)}`, path }))
  const { queued, dropped } = writer.stats()
  t.equal(queued + dropped, 3_000, 'all are counted')
  t.ok(queued >= 2_000, 'those of known failures as waiting')
  t.ok(dropped > 100, 'those of others as dropped')
  fake.isBroken = false
  await writer.flush()
  const written = JSON.stringify(fake.batches)
  t.ok(written.length < 2 * maxCharacters, `${written.length} characters`)
  t.ok(written.length > maxCharacters / 2, 'and not much less')
  t.strictSame(writer.stats(), { queued: 0, dropped, written: queued, inMemory: 0 })
  // There is space again.
  for (let time = 0; time < 50; time++) writer.add(failure({ time: NOW + time, path }))
  await writer.flush()
  t.match(fake.batches.at(-1), [{ count: 50, occurrences: { length: 50 } }])
})

t.test('a refused batch counts towards the limit until it is written', async (t) => {
  const { fake, writer } = createFake(100_000)
  fake.isBroken = true
  const path = `/${'x'.repeat(2_000)}`
  let number = 0
  while (writer.stats().dropped === 0) writer.add(failure({ fingerprint: name(number++), path }))
  await writer.flush()
  writer.add(failure({ fingerprint: name(number), path }))
  t.match(writer.stats(), { queued: number - 1, dropped: 2 })
  fake.isBroken = false
  await writer.flush()
  writer.add(failure({ fingerprint: name(number), path }))
  t.match(writer.stats(), { queued: 1, dropped: 2, written: number - 1 })
})

t.test('keeps failures that cannot be written up to a limit, reports it once, and writes them later', async (t) => {
  const { fake, writer } = createFake()
  fake.isBroken = true
  for (let number = 0; number < 2_100; number++) writer.add(failure({ fingerprint: name(number) }))
  for (let time = 0; time < 500; time++) writer.add(failure({ fingerprint: name(1), time: NOW + time }))
  await writer.flush()
  await writer.flush()
  t.strictSame(writer.stats(), { queued: 2_500, dropped: 100, written: 0, inMemory: 0 })
  t.match(fake.lines, [
    {
      level: 'warn',
      text: 'the ledger cannot be written, so failures are kept in memory for now: no disk',
      details: { queued: 2_500, dropped: 100 },
    },
  ])
  t.equal(fake.lines.length, 1)
  fake.isBroken = false
  await writer.flush()
  t.strictSame(writer.stats(), { queued: 0, dropped: 100, written: 2_500, inMemory: 0 })
  const entries = fake.batches.flat()
  const storm = entries.find(({ fingerprint }) => fingerprint === name(1))
  t.match(storm, { count: 501, occurrences: { length: 100 } }, 'of a storm the newest stay, and all are counted')
  t.ok(
    fake.batches.every(({ length }) => length <= 200),
    'in batches of some size',
  )
  t.match(fake.lines.at(-1), {
    level: 'info',
    text: 'the ledger can be written again',
    details: { dropped: 100 },
  })
})

t.test('a refused batch is handed over again unchanged', async (t) => {
  const { fake, writer } = createFake()
  fake.isBroken = true
  writer.add(failure())
  await writer.flush()
  writer.add(failure({ time: NOW + 1 }))
  await writer.flush()
  t.strictSame(writer.stats(), { queued: 2, dropped: 0, written: 0, inMemory: 0 })
  fake.isBroken = false
  await writer.flush()
  const [first, again, third, later] = fake.handed
  t.equal(again, first)
  t.equal(third, first)
  t.not(later, first)
  t.match(fake.batches, [[{ count: 1, lastSeen: NOW }], [{ count: 1, lastSeen: NOW + 1 }]])
})

t.test('tries again by itself', async (t) => {
  const { fake, writer } = createFake()
  fake.isBroken = true
  writer.add(failure())
  await until(() => fake.calls >= 2)
  fake.isBroken = false
  await until(() => writer.stats().written === 1)
  t.equal(fake.lines.filter(({ level }) => level === 'warn').length, 1)
})

t.test('opening a ledger reports problems before any failure', async (t) => {
  const { fake, writer } = createFake()
  writer.open()
  await until(() => fake.calls === 1)
  t.strictSame(fake.lines, [])
  fake.isBroken = true
  writer.open()
  await until(() => fake.lines.length > 0)
  t.match(fake.lines, [{ level: 'warn', details: { queued: 0 } }])
})

t.test('closing waits for running writes, and nothing is tried after it', async (t) => {
  const { fake, writer } = createFake()
  writer.open()
  writer.add(failure())
  await writer.close()
  t.strictSame([fake.calls, writer.stats().written], [2, 1])
  fake.isBroken = true
  writer.add(failure())
  await writer.close()
  t.strictSame([fake.calls, writer.stats().queued], [3, 1])
  // Longer than the writer would have waited before it tries again.
  const calls = fake.calls
  const { fake: other, writer: open } = createFake()
  other.isBroken = true
  open.add(failure())
  await until(() => other.calls >= 3)
  t.equal(fake.calls, calls)
})
