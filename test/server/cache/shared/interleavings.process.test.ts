// Random interleavings of renders, invalidations and reads by several processes. Each process also has a memory of its
// own, as the page cache does.

import t, { type Test } from 'tap'
import type { BackendEvents, StoreBackend } from '../../../../src/server/cache/shared/backend.ts'
import { EVERY_TAG, type SharedStore } from '../../../../src/server/cache/shared/shared-store.ts'
import { startPostgres } from '../../../postgres.ts'
import { startRedis } from '../../../redis.ts'
import { until } from '../../../until.ts'
import { createMemoryBackends, createStore, openInPostgres, openInValkey, response } from './stores.ts'

const MAX_BYTES = 1_000_000
const TAGS = ['a', 'b', 'c']
const KEYS = ['1', '2', '3', '4']

/** Returns numbers from 0 to below 1 that are the same for the same seed (mulberry32). */
function createRandom(seed: number) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Random = ReturnType<typeof createRandom>

const pick = <T>(random: Random, list: readonly T[]): T => {
  const item = list[Math.floor(random() * list.length)]
  if (item === undefined) throw new Error('the list is empty')
  return item
}

/** A page shows the data of its tags. */
const tagsOf = (key: string) => TAGS.filter((_tag, index) => (Number(key) & (1 << index)) !== 0 || index === 0)

/** The data that pages show: the number of changes of each tag. */
type Data = Map<string, number>

const show = (data: Data, key: string) => JSON.stringify(tagsOf(key).map((tag) => data.get(tag) ?? 0))

/** Whether a text shows data that is at least as new. */
function isAtLeast(text: string, least: string): boolean {
  const counts: number[] = JSON.parse(least)
  const shown: number[] = JSON.parse(text)
  return counts.every((count, index) => (shown[index] ?? -1) >= count)
}

/** A process with a page cache: it serves from memory, then from the store, and renders at last. */
function createProcess(store: SharedStore, data: Data, pause: () => Promise<void>) {
  const memory = new Map<string, string>()
  const renders = new Map<string, Set<{ isOutdated: boolean }>>()

  function drop(tags: readonly string[]) {
    for (const key of KEYS) {
      if (!tags.includes(EVERY_TAG) && !tagsOf(key).some((tag) => tags.includes(tag))) continue
      memory.delete(key)
      for (const render of renders.get(key) ?? []) render.isOutdated = true
    }
  }

  async function render(key: string) {
    const current = { isOutdated: false }
    renders.set(key, (renders.get(key) ?? new Set()).add(current))
    const since = await store.versions()
    const text = show(data, key)
    await pause()
    renders.get(key)?.delete(current)
    if (!current.isOutdated) memory.set(key, text)
    if (since) await store.set(key, response(tagsOf(key), text), since)
  }

  store.onInvalidate(drop)
  return {
    memory,
    render,
    async invalidate(tag: string) {
      data.set(tag, (data.get(tag) ?? 0) + 1)
      drop([tag])
      return store.invalidate([tag])
    },
    async read(key: string) {
      const found = await store.get(key)
      if (found) memory.set(key, found.body)
      return found?.body ?? null
    },
  }
}

interface Run {
  seed: number
  stores: readonly SharedStore[]
  steps: number
  pause(random: Random): Promise<void>
  /** Called at each step. */
  disturb?(random: Random): void
}

/** Runs random steps at the same time. Nothing that was outdated when a read began may be read. */
async function runSteps(t: Test, { seed, stores, steps, pause, disturb }: Run) {
  const random = createRandom(seed)
  const data: Data = new Map()
  /** What is recorded as invalidated, so that no process may read anything older. */
  const settled: Data = new Map()
  const processes = stores.map((store) => createProcess(store, data, () => pause(random)))
  const stale: string[] = []
  let hits = 0
  const running = new Set<Promise<void>>()

  async function step() {
    const process = pick(random, processes)
    const chance = random()
    if (chance < 0.35) return process.render(pick(random, KEYS))
    if (chance < 0.5) {
      const tag = pick(random, TAGS)
      const invalidated = process.invalidate(tag)
      const count = data.get(tag) ?? 0
      if (await invalidated) settled.set(tag, Math.max(count, settled.get(tag) ?? 0))
      return
    }
    const key = pick(random, KEYS)
    const least = show(settled, key)
    const text = await process.read(key)
    if (text === null) return
    hits++
    if (!isAtLeast(text, least)) stale.push(`${text} instead of ${least}`)
  }

  for (let count = 0; count < steps; count++) {
    disturb?.(random)
    const one = step()
    running.add(one)
    void one.finally(() => running.delete(one))
    if (random() < 0.7) await pause(random)
  }
  await Promise.all(running)
  t.strictSame(stale, [], `seed ${seed}`)
  return { processes, data, hits }
}

/** At the end, when each process has heard of everything, nobody has anything outdated in memory. */
async function checkMemories(t: Test, { processes, data }: Awaited<ReturnType<typeof runSteps>>, run: Run) {
  for (const store of run.stores) await until(() => store.versions())
  const outdated = processes.flatMap(({ memory }) => [...memory].filter(([key, text]) => text !== show(data, key)))
  t.strictSame(outdated, [], `the memories of seed ${run.seed}`)
}

const seeds = (count: number) => Array.from({ length: count }, (_, index) => index + Number(process.env.SEED ?? 1))
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

async function pauseTurns(random: Random) {
  for (let turns = Math.floor(random() * 6); turns >= 0; turns--) await nextTurn()
}

t.test('in memory', async (t) => {
  let hits = 0
  for (const seed of seeds(10)) {
    const createBackend = createMemoryBackends(MAX_BYTES)
    const stores = await Promise.all([1, 2, 3].map(() => createStore(t, { backend: createBackend() })))
    const run = { seed, stores, steps: 400, pause: pauseTurns }
    const result = await runSteps(t, run)
    await checkMemories(t, result, run)
    hits += result.hits
  }
  t.ok(hits > 300, `${hits} reads found a response`)
})

/** A connection that a test can cut: calls fail, and messages are lost. Responses arrive in any order. */
function createFragile(backend: StoreBackend, random: Random) {
  let events: BackendEvents | null = null
  let isCut = false
  async function pass<T>(call: () => Promise<T>): Promise<T> {
    if (isCut) throw new Error('cut')
    const result = await call()
    await pauseTurns(random)
    // The call has had its effect, and its response is lost.
    if (isCut) throw new Error('cut')
    return result
  }
  const fragile: StoreBackend = {
    ...backend,
    open(opened) {
      events = opened
      backend.open({
        ...opened,
        advanced: () => isCut || opened.advanced(),
        settled: (key) => isCut || opened.settled(key),
      })
    },
    read: (key) => pass(() => backend.read(key)),
    write: (key, stored, since) => pass(() => backend.write(key, stored, since)),
    lease: (key, leaseMs) => pass(() => backend.lease(key, leaseMs)),
    release: (key) => pass(() => backend.release(key)),
    advance: (tags) => pass(() => backend.advance(tags)),
    changes: (since) => pass(() => backend.changes(since)),
  }
  return {
    backend: fragile,
    toggle() {
      isCut = !isCut
      if (isCut) events?.disconnected(new Error('cut'))
      else events?.connected()
    },
    repair() {
      if (isCut) this.toggle()
    },
  }
}

t.test('in memory, with connections that are cut at any moment', async (t) => {
  let hits = 0
  for (const seed of seeds(40)) {
    const createBackend = createMemoryBackends(MAX_BYTES)
    const connections = [1, 2, 3].map((number) => createFragile(createBackend(), createRandom(seed * 3 + number)))
    const stores = await Promise.all(connections.map(({ backend }) => createStore(t, { backend })))
    const disturb = (random: Random) => {
      if (seed % 2 === 0 && random() < 0.05) pick(random, connections).toggle()
    }
    const run = { seed, stores, steps: 400, pause: pauseTurns, disturb }
    const result = await runSteps(t, run)
    for (const connection of connections) connection.repair()
    await checkMemories(t, result, run)
    hits += result.hits
  }
  t.ok(hits > 100, `${hits} reads found a response`)
})

const postgres = startPostgres(t)
const redis = await startRedis(t)

for (const [name, open] of Object.entries({
  PostgreSQL: openInPostgres(postgres.url, MAX_BYTES),
  Redis: openInValkey(redis.url, MAX_BYTES),
})) {
  t.test(name, async (t) => {
    const [seed = 1] = seeds(1)
    const stores = await Promise.all([open(t), open(t), open(t)])
    // As long as some calls take, so that the speed of the machine does not matter.
    const pause = async (random: Random) => {
      for (let calls = Math.floor(random() * 3); calls >= 0; calls--) await pick(random, stores).get('nothing')
    }
    const run = { seed, stores, steps: 1_000, pause }
    const result = await runSteps(t, run)
    await checkMemories(t, result, run)
    t.ok(result.hits > 20, `${result.hits} reads found a response`)
  })
}
