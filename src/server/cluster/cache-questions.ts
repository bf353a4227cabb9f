import type { CacheSource } from '../admin/cache-report.ts'
import { addCacheContents, type CacheContents } from '../cache/cache-contents.ts'
import type { SiteCache } from '../cache/site-cache.ts'
import { createDeadline, DEADLINE } from '../util/deadline.ts'
import type { ToPrimary } from './messages.ts'
import type { PrimaryChannel } from './primary-channel.ts'
import type { WorkerPool } from './worker-pool.ts'

/** A worker that is busy for longer is left out of the contents. */
const READ_MS = 1_000
/** A worker that is busy for longer may still have pages. */
const EMPTY_MS = 5_000
const NOTHING: CacheContents = { routes: [], tags: [] }

/** The page caches in the memory of all workers together. */
export interface ClusterCache extends CacheSource {
  /** Takes the answer of a worker. */
  take(message: Extract<ToPrimary, { kind: 'cacheContents' }>): void
}

export function createClusterCache({ serving }: Pick<WorkerPool, 'serving'>): ClusterCache {
  const pending = new Map<number, (contents: CacheContents) => void>()
  let lastId = 0

  /** Asks all workers. The result has null for each worker that has not answered in time. */
  async function askAll(empties: boolean, maxMs: number): Promise<(CacheContents | null)[]> {
    const deadline = createDeadline(maxMs)
    const asking = serving().map(async (worker) => {
      const id = ++lastId
      const answer = new Promise<CacheContents>((resolve) => pending.set(id, resolve))
      worker.send({ kind: 'askCache', id, empties })
      // The memory of a worker that has ended is gone.
      const ended = worker.ended.then(() => NOTHING)
      const contents = await Promise.race([answer, deadline.passed, ended])
      pending.delete(id)
      return contents === DEADLINE ? null : contents
    })
    const contents = await Promise.all(asking)
    deadline.clear()
    return contents
  }

  return {
    contents: async () => addCacheContents((await askAll(false, READ_MS)).filter((contents) => contents !== null)),
    empty: async () => (await askAll(true, EMPTY_MS)).every((contents) => contents !== null),
    take: ({ id, contents }) => pending.get(id)?.(contents),
  }
}

/** Answers the questions of the primary about the page cache of this worker; null for a site without cached pages. */
export function answerCacheQuestions(channel: PrimaryChannel, cache: SiteCache | null) {
  channel.listen(async (message) => {
    if (message.kind !== 'askCache') return
    if (message.empties) await cache?.clear()
    const contents = cache?.contents() ?? NOTHING
    await channel.send({ kind: 'cacheContents', id: message.id, contents })
  })
}
