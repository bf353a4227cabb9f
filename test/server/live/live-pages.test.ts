// Needs a process of its own: the timers are those of the test.

import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t, { type Test } from 'tap'
import { EVERY_TAG, type InvalidationListener, type Versions } from '../../../src/server/cache/shared/shared-store.ts'
import { createLivePages, type LiveLimits, type LivePages } from '../../../src/server/live/live-pages.ts'
import type { Pace } from '../../../src/server/live/pace.ts'

const LIMITS: LiveLimits = { maxLiveStreams: 1_000, maxLiveStreamsPerAddress: 1_000 }
const ADDRESS = '192.0.2.1'
const MINUTE_MS = 60_000

setFlagsFromString('--expose-gc')
// The flag `--expose-gc` adds it.
const collectGarbage = runInNewContext('gc') as () => void

/** Does all work at once. */
const AT_ONCE: Pace = {
  run(work) {
    while (work());
  },
  stop() {},
}

/** Does work when the test says so. */
function createManualPace() {
  let work: (() => boolean) | null = null
  const pace: Pace = {
    run(given) {
      work ??= given
    },
    stop() {
      work = null
    },
  }
  return {
    pace,
    isIdle: () => work === null,
    /** Makes one call. */
    step() {
      if (work && !work()) work = null
    },
    finish() {
      for (; work; ) if (!work()) work = null
    },
  }
}

/** A store whose versions the test sets. */
function createStore(versions: Versions | null) {
  const state = { versions }
  const listeners: InvalidationListener[] = []
  return {
    seen: () => state.versions,
    onInvalidate: (listener: InvalidationListener) => void listeners.push(listener),
    see(seen: Versions) {
      state.versions = seen
    },
    /** Another process has published. */
    hear(topics: readonly string[], seen = state.versions, isStart = false) {
      state.versions = seen
      for (const listener of listeners) listener(topics, isStart)
    },
  }
}

interface Given {
  limits?: Partial<LiveLimits>
  pace?: Pace
  /** The versions of the store, which are null before the first contact with it (no store). */
  versions?: Versions | null
}

function create({ limits = {}, pace = AT_ONCE, versions }: Given = {}) {
  const refused: string[] = []
  const store = createStore(versions ?? null)
  const used = versions === undefined ? null : store
  const live = createLivePages(used, { ...LIMITS, ...limits }, (limit) => void refused.push(limit), pace)
  return { live, refused, store }
}

interface Opened {
  body: Readable
  /** The text since the last call. */
  text(): string
}

/** Opens a stream that nothing reads until `text` does. */
function open(live: LivePages, topics: readonly string[], since = live.position(), address = ADDRESS): Opened {
  const body = live.open(topics, since, address)
  if (body === null) throw new Error('refused')
  body.setEncoding('utf8')
  return { body, text: () => body.read() ?? '' }
}

const numberOf = (position: string) => Number(position.split('.')[1])
const REFRESH = 'data: refresh\n'
/** How often a text asks the page to refresh. */
const refreshes = (text: string) => text.split(REFRESH).length - 1

t.test('a stream begins with the pause before the next one, and the position', async (t) => {
  const { live } = create()
  const { text } = open(live, ['a'])
  t.match(live.position(), /^[\w-]{8}\.0$/)
  t.equal(text(), `retry: 2000\nid: ${live.position()}\n\n`)
  t.equal(text(), '')
})

t.test('pages with a topic refresh, and others do not', async (t) => {
  const { live } = create()
  const [a, b, both] = [open(live, ['a']), open(live, ['b']), open(live, ['a', 'b'])]
  for (const { text } of [a, b, both]) text()
  live.publish(['a'], true)
  t.equal(a.text(), `id: ${live.position()}\n${REFRESH}\n`)
  t.equal(b.text(), '')
  t.equal(refreshes(both.text()), 1)
  live.publish(['a', 'b'], true)
  t.equal(refreshes(both.text()), 1, 'once for both topics')
  t.equal(refreshes(a.text()), 1)
  t.equal(refreshes(b.text()), 1)
  live.publish(['c'], true)
  t.equal(a.text() + b.text() + both.text(), '')
  live.publish([EVERY_TAG], true)
  t.strictSame(
    [a, b, both].map(({ text }) => refreshes(text())),
    [1, 1, 1],
  )
})

t.test('each time has a later position', async (t) => {
  const { live } = create()
  const { text } = open(live, ['a'])
  text()
  const before = live.position()
  live.publish(['other'], true)
  live.publish(['a'], true)
  t.equal(live.position(), before.replace(/\d+$/, '2'))
  t.equal(text(), `id: ${live.position()}\n${REFRESH}\n`)
})

t.test('what is published while a page waits for its turn is one event, with the last position', async (t) => {
  const { pace, step, finish, isIdle } = createManualPace()
  const { live } = create({ pace })
  const [a, b] = [open(live, ['a', 'b']), open(live, ['b'])]
  a.text()
  b.text()
  live.publish(['a'], true)
  live.publish(['b'], true)
  live.publish(['a', 'b'], true)
  t.equal(a.text() + b.text(), '', 'the pace decides')
  step()
  t.equal(a.text(), `id: ${live.position()}\n${REFRESH}\n`)
  t.equal(b.text(), '')
  live.publish(['b'], true)
  finish()
  t.equal(refreshes(a.text()), 1, 'published after its turn')
  t.equal(b.text(), `id: ${live.position()}\n${REFRESH}\n`)
  t.ok(isIdle())
})

t.test('a page that leaves while it waits is forgotten, and the others get their turn', async (t) => {
  const { pace, finish, isIdle } = createManualPace()
  const { live } = create({ pace })
  const [gone, stays] = [open(live, ['a']), open(live, ['a'])]
  stays.text()
  live.publish(['a'], true)
  gone.body.destroy()
  await turn()
  finish()
  t.equal(refreshes(stays.text()), 1)
  live.publish(['a'], true)
  stays.body.destroy()
  await turn()
  finish()
  t.ok(isIdle())
})

t.test('a page hears of what was published before its stream was open', async (t) => {
  const { live } = create()
  const rendered = live.position()
  live.publish(['other'], true)
  t.equal(refreshes(open(live, ['a'], rendered).text()), 0)
  live.publish(['a'], true)
  const { text } = open(live, ['a'], rendered)
  t.equal(text(), `retry: 2000\n\nid: ${live.position()}\n${REFRESH}\n`)
  t.equal(refreshes(open(live, ['b', 'a'], rendered).text()), 1, 'any of its topics')
  t.equal(refreshes(open(live, ['a']).text()), 0, 'the position now')
  live.publish([EVERY_TAG], true)
  t.equal(refreshes(open(live, ['never published'], rendered).text()), 1)
})

t.test('a page whose position is not known refreshes', async (t) => {
  const { live } = create()
  live.publish(['b'], true)
  const now = live.position()
  const later = now.replace(/\d+$/, '2')
  const positions = ['', 'x', '.', '0.0', `x${now}`, 'AAAAAAAA.0', later, `${now}9`, now.replace('.', ':')]
  const odd = [now.replace(/\d+$/, 'NaN'), now.replace(/\d+$/, 'Infinity'), now.replace(/\d+$/, '-1'), `.${now}`]
  const huge = '9'.repeat(15_000)
  const names = [...positions, ...odd, huge, `${now}${huge}`, `${now}, ${now}`]
  t.strictSame(
    names.filter((position) => refreshes(open(live, ['a'], position).text()) !== 1),
    [],
  )
})

t.test('two processes on their own have different positions', async (t) => {
  const [one, other] = [create().live, create().live]
  t.not(one.position(), other.position())
  t.equal(refreshes(open(other, ['a'], one.position()).text()), 1)
})

t.test('processes with the same store have the same positions', async (t) => {
  const versions = { epoch: 'redis:1234', sequence: 7 }
  const [one, other] = [create({ versions }).live, create({ versions }).live]
  t.match(one.position(), /^[\w-]{8}\.7$/)
  t.equal(one.position(), other.position())
  t.notOk(one.position().includes('redis'))
  t.equal(refreshes(open(other, ['a'], one.position()).text()), 0)
  t.equal(numberOf(create({ versions: { ...versions, sequence: 8 } }).live.position()), 8)
})

t.test('what another process publishes reaches the pages of this one', async (t) => {
  const { live, store } = create({ versions: { epoch: 'one', sequence: 5 } })
  const [a, b] = [open(live, ['a']), open(live, ['b'])]
  a.text()
  b.text()
  const before = live.position()
  store.hear(['a'], { epoch: 'one', sequence: 6 })
  t.equal(a.text(), `id: ${before.replace('5', '6')}\n${REFRESH}\n`)
  t.equal(b.text(), '')
  t.equal(refreshes(open(live, ['a'], before).text()), 1)
  t.equal(refreshes(open(live, ['b'], before).text()), 0)
  t.equal(refreshes(open(live, ['a']).text()), 0)
})

t.test('what was published before this process had contact with the store is not known', async (t) => {
  const { live } = create({ versions: { epoch: 'one', sequence: 5 } })
  const now = live.position()
  t.equal(refreshes(open(live, ['a'], now.replace('5', '4')).text()), 1)
  t.equal(refreshes(open(live, ['a'], now).text()), 0)
  t.equal(refreshes(open(live, ['a'], now.replace('5', '6')).text()), 1, 'another process knows more')
})

t.test('the first contact with a store', async (t) => {
  const { live, store } = create({ versions: null })
  const before = live.position()
  const early = open(live, ['a'])
  early.text()
  t.equal(numberOf(before), 0)
  store.hear([EVERY_TAG], { epoch: 'one', sequence: 40 }, true)
  t.equal(refreshes(early.text()), 1, 'others may have published meanwhile')
  t.equal(numberOf(live.position()), 40, 'all processes have this position')
  t.equal(refreshes(open(live, ['a'], before).text()), 1)
  t.equal(refreshes(open(live, ['a']).text()), 0)
})

t.test('a store without anything in it changes the position, and nothing else', async (t) => {
  const { live, store } = create({ versions: null })
  const before = live.position()
  store.see({ epoch: 'one', sequence: 0 })
  t.not(live.position(), before)
  t.equal(refreshes(open(live, ['a'], before).text()), 0)
  live.publish(['a'], true)
  t.equal(refreshes(open(live, ['a'], before).text()), 1)
})

t.test('a store that was emptied', async (t) => {
  const { live, store } = create({ versions: { epoch: 'one', sequence: 5_000 } })
  const before = live.position()
  const stream = open(live, ['a'])
  stream.text()
  store.hear([EVERY_TAG], { epoch: 'two', sequence: 1 })
  t.equal(refreshes(stream.text()), 1)
  t.equal(refreshes(open(live, ['a'], before).text()), 1)
  t.equal(refreshes(open(live, ['a']).text()), 0, 'the new numbers are lower, and count')
  store.hear(['a'], { epoch: 'two', sequence: 2 })
  t.equal(refreshes(open(live, ['a']).text()), 0)
  t.equal(refreshes(open(live, ['b'], live.position().replace(/\d+$/, '1')).text()), 0)
})

t.test('while the store records nothing, pages refresh all the same', async (t) => {
  const { live, store } = create({ versions: { epoch: 'one', sequence: 5 } })
  const before = live.position()
  const stream = open(live, ['a'])
  stream.text()
  const own: string[] = []
  for (let n = 0; n < 3; n++) {
    live.publish(['a'], false)
    own.push(live.position())
    t.equal(stream.text(), `id: ${live.position()}\n${REFRESH}\n`)
  }
  t.equal(new Set([before, ...own]).size, 4, 'a page sees by the position that it lacks something')
  t.equal(refreshes(open(live, ['a'], before).text()), 1)
  t.equal(refreshes(open(live, ['a'], own[1]).text()), 1)
  t.equal(refreshes(open(live, ['a'], own[2]).text()), 0)
  t.equal(refreshes(open(live, ['b'], own[0]).text()), 0)
  t.equal(refreshes(open(live, ['b'], before).text()), 0)

  store.see({ epoch: 'one', sequence: 6 })
  t.equal(live.position(), before.replace('5', '6'), 'it has recorded them')
  t.equal(refreshes(open(live, ['a']).text()), 0)
  t.equal(refreshes(open(live, ['a'], own[2]).text()), 0)
  t.equal(refreshes(open(live, ['a'], before).text()), 1)
  live.publish(['a'], false)
  t.equal(refreshes(open(live, ['a'], own[2]).text()), 1)
})

t.test('what another process could not record reaches the pages of this one', async (t) => {
  const { live, store } = create({ versions: { epoch: 'one', sequence: 5 } })
  store.hear(['b'], { epoch: 'one', sequence: 6 })
  const before = live.position()
  const stream = open(live, ['a'])
  stream.text()
  store.hear(['a'])
  t.equal(stream.text(), `id: ${live.position()}\n${REFRESH}\n`)
  t.not(live.position(), before)
  t.equal(refreshes(open(live, ['a'], before).text()), 1)
})

t.test('two things that are published together leave the positions to the store', async (t) => {
  const { live, store } = create({ versions: { epoch: 'one', sequence: 5 } })
  const before = live.position()
  store.see({ epoch: 'one', sequence: 7 })
  live.publish(['a'], true)
  live.publish(['b'], true)
  t.equal(live.position(), before.replace('5', '7'))
  t.equal(refreshes(open(live, ['a', 'b']).text()), 0)
  t.equal(refreshes(open(live, ['b'], before).text()), 1)
})

t.test('many topics: the oldest are forgotten, and their pages refresh', async (t) => {
  const { live } = create()
  live.publish(['first'], true)
  const since = live.position()
  t.equal(refreshes(open(live, ['first'], since).text()), 0)
  for (let n = 0; n < 12_000; n++) live.publish([`topic-${n}`], true)
  t.equal(refreshes(open(live, ['first'], since).text()), 1)
  t.equal(refreshes(open(live, ['first']).text()), 0)
})

t.test('at the limit of the process, streams are refused until one leaves', async (t) => {
  const { live, refused } = create({ limits: { maxLiveStreams: 2 } })
  const [first] = [open(live, ['a']), open(live, ['a'], live.position(), '192.0.2.2')]
  t.equal(live.open(['a'], live.position(), '192.0.2.3'), null)
  t.strictSame(refused, ['maxLiveStreams'])
  t.equal(live.count(), 2)
  first.body.destroy()
  await turn()
  t.equal(live.count(), 1)
  open(live, ['a'], live.position(), '192.0.2.3')
  t.equal(live.open(['a'], live.position(), '192.0.2.4'), null)
})

t.test('at the limit of an address, others may open streams', async (t) => {
  const { live, refused } = create({ limits: { maxLiveStreamsPerAddress: 2 } })
  const streams = [open(live, ['a']), open(live, ['b'])]
  t.equal(live.open(['a'], live.position(), ADDRESS), null)
  t.equal(live.open(['c'], live.position(), ADDRESS), null)
  t.strictSame(refused, ['maxLiveStreamsPerAddress', 'maxLiveStreamsPerAddress'])
  t.ok(open(live, ['a'], live.position(), '192.0.2.2'))
  for (const { body } of streams) body.destroy()
  await turn()
  for (const topic of ['a', 'b']) t.ok(open(live, [topic]))
  t.equal(live.open(['a'], live.position(), ADDRESS), null, 'the limit counts as before')
})

t.test('however a stream ends, it leaves nothing', async (t) => {
  const { live } = create({ limits: { maxLiveStreams: 3, maxLiveStreamsPerAddress: 3 } })
  const endings: ((body: Readable) => void)[] = [
    (body) => body.destroy(),
    (body) => body.destroy(new Error('the connection is lost')),
    (body) => void body.resume().push(null),
  ]
  for (let n = 0; n < 300; n++) {
    const streams = endings.map((end) => ({ end, ...open(live, [`topic-${n % 7}`, 'all']) }))
    live.publish(['all'], true)
    for (const { end, body } of streams) {
      body.on('error', () => {})
      const closed = once(body, 'close').catch(() => {})
      end(body)
      await closed
      // Twice is the same as once.
      body.destroy()
    }
    t.equal(live.count(), 0)
  }
})

t.test('topics and addresses that nobody listens for any more take no memory', async (t) => {
  const { live } = create()
  const heldBytes = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const before = heldBytes()
  for (let n = 0; n < 20_000; n++) {
    const name = Buffer.alloc(1_000, `${n} `).toString()
    open(live, [name], live.position(), name).body.destroy()
    if (n % 500 === 0) await turn()
  }
  await turn()
  t.equal(live.count(), 0)
  const held = heldBytes() - before
  t.ok(held < 10_000_000, `${held} bytes`)
})

/** Sets the timers and the clock of a test. */
function setClock(t: Test) {
  mock.timers.enable({ apis: ['setInterval', 'Date'] })
  t.teardown(() => mock.timers.reset())
}

t.test('silent streams get a line within 25 seconds, not all of them at once', async (t) => {
  setClock(t)
  const { live } = create()
  const streams = Array.from({ length: 200 }, () => open(live, ['a']))
  for (const { text } of streams) text()
  const beaten: number[] = []
  for (let passed = 0; passed < 25_000; passed += 250) {
    mock.timers.tick(250)
    const texts = streams.map(({ text }) => text()).filter((text) => text !== '')
    t.ok(texts.every((text) => text === `id: ${live.position()}\n\n`))
    beaten.push(texts.length)
  }
  t.equal(
    beaten.reduce((sum, each) => sum + each, 0),
    200,
  )
  t.ok(Math.max(...beaten) <= 5)
  for (const { body } of streams) body.destroy()
  await turn()
  mock.timers.tick(MINUTE_MS)
  t.equal(live.count(), 0)
})

t.test('after a time without streams, lines come as often as before', async (t) => {
  setClock(t)
  const { live } = create()
  for (let n = 0; n < 20; n++) {
    open(live, ['a']).body.destroy()
    await turn()
  }
  const { text } = open(live, ['a'])
  text()
  mock.timers.tick(25_000)
  t.equal(text(), `id: ${live.position()}\n\n`)
})

t.test('a page that waits for its turn is not told the position without the rest', async (t) => {
  setClock(t)
  const { pace, finish } = createManualPace()
  const { live } = create({ pace })
  const { text } = open(live, ['a'])
  text()
  live.publish(['a'], true)
  mock.timers.tick(MINUTE_MS)
  t.equal(text(), '')
  finish()
  t.equal(text(), `id: ${live.position()}\n${REFRESH}\n`)
})

t.test(
  'what the store has recorded, and is not published here yet, is in no position that streams are told',
  async (t) => {
    const { live, store } = create({ versions: { epoch: 'one', sequence: 5 } })
    const before = live.position()
    const end = live.begin()
    store.see({ epoch: 'one', sequence: 6 })
    const { text } = open(live, ['a'], before)
    t.equal(text(), 'retry: 2000\n:\n\n')
    live.publish(['a'], true)
    end()
    t.equal(text(), `id: ${live.position()}\n${REFRESH}\n`)
    t.equal(open(live, ['a']).text(), `retry: 2000\nid: ${live.position()}\n\n`)
  },
)

t.test('streams end after 12 to 15 minutes, at different times', async (t) => {
  setClock(t)
  const { live } = create()
  const ends = new Set<number>()
  let now = 0
  for (let n = 0; n < 50; n++)
    open(live, ['a'])
      .body.resume()
      .on('end', () => ends.add(now))
  for (; now < 12 * MINUTE_MS; now += 10_000) mock.timers.tick(10_000)
  await turn()
  t.equal(live.count(), 50)
  for (; now < 15.5 * MINUTE_MS; now += 10_000) {
    mock.timers.tick(10_000)
    await turn()
  }
  t.equal(live.count(), 0)
  t.ok(ends.size > 5)
})

t.test('a client that reads nothing is dropped, and the others are told', async (t) => {
  const { live } = create()
  const slow = open(live, ['a'])
  const quick = open(live, ['a'])
  const errors: unknown[] = []
  slow.body.on('error', (error) => errors.push(error))
  let told = 0
  for (let n = 0; n < 500; n++) {
    live.publish(['a'], true)
    told += refreshes(quick.text())
  }
  t.ok(slow.body.destroyed)
  t.ok(slow.body.readableLength < 5_000, 'what it got is limited')
  await turn()
  t.equal(live.count(), 1)
  t.equal(told, 500)
  t.strictSame(errors, [], 'this is no failure of the site')
})

t.test('a client that reads nothing does not outlive the end of its stream', async (t) => {
  setClock(t)
  const { live } = create()
  const { body } = open(live, ['a'])
  const errors: unknown[] = []
  body.on('error', (error) => errors.push(error))
  mock.timers.tick(11 * MINUTE_MS)
  for (let passed = 11 * MINUTE_MS; passed < 16 * MINUTE_MS; passed += 10_000) {
    mock.timers.tick(10_000)
    live.publish(['a'], true)
    await turn()
  }
  t.strictSame(errors, [], 'nothing is written after the end')
  t.equal(live.count(), 0)
})

t.test('when the process ends, so do all streams, with a longer pause the more there are', async (t) => {
  const { live, refused } = create()
  const streams = Array.from({ length: 500 }, () => open(live, ['a']))
  const texts = streams.map(({ body, text }) => {
    text()
    return body.toArray()
  })
  live.end()
  for (const parts of await Promise.all(texts)) if (parts.join('') !== 'retry: 3000\n\n') t.fail(parts.join(''))
  await turn()
  t.equal(live.count(), 0)
  t.equal(live.open(['a'], live.position(), ADDRESS), null, 'others are not opened')
  t.strictSame(refused, [], 'which is no limit')
})

t.test('what is published while the process ends changes nothing', async (t) => {
  setClock(t)
  const { pace, finish } = createManualPace()
  const { live } = create({ pace })
  const { body } = open(live, ['a'])
  const errors: unknown[] = []
  body.on('error', (error) => errors.push(error))
  live.publish(['a'], true)
  live.end()
  live.end()
  live.publish(['a'], true)
  live.publish([EVERY_TAG], true)
  finish()
  await turn()
  t.strictSame(errors, [])
  mock.timers.tick(MINUTE_MS)
  await turn()
  t.strictSame(errors, [])
})
