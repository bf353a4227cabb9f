import { LRUCache } from 'lru-cache'
import { addCacheContents, type CacheContents, type StoredCounts } from '../metrics/cache-counts.ts'
import type { StoreRecorder } from '../metrics/metrics-recorder.ts'
import { type Invalidation, type InvalidationResult, KnownKeys, tagsToInvalidate } from './cache-key.ts'
import { ALONE, type GroupTurn, type OthersTurn, takeTurn } from './render-group.ts'
import { EVERY_TAG, type SharedStore, type StoredResponse } from './shared/shared-store.ts'
import { freshnessOf, StoredPage } from './stored-page.ts'

/** A response that is being rendered, to be stored. */
export interface Rendering {
  /** Sets the tags of the response, before the loads run. */
  setTags(tags: readonly string[]): void
  /** Stores the response, unless a tag was invalidated since the rendering began. Returns the page. */
  store(response: StoredResponse): StoredPage
  /** Ends the rendering without a response. Does nothing after `store`. */
  giveUp(): void
}

/** The result for waiting requests: `outdated` if it was invalidated meanwhile; null without a response to store. */
export type RenderingResult = StoredPage | 'outdated' | null

interface Running {
  promise: Promise<RenderingResult>
  /** Null until they are known. */
  tags: readonly string[] | null
}

/** How long a page that must not be stored is only rendered for single requests. */
const PASS_MS = 60_000
const MAX_PASSED = 10_000
/** Invalidations before the first response of the store within this time are earlier than the process. */
const START_MS = 10_000
/** The pause after the first failure before a stale page is rendered again. It doubles with each failure. */
const RETRY_MS = 1_000
/** The longest pause after a failure. */
const MAX_RETRY_MS = 30_000

/** The responses of one site's cached pages. All keys are results of `documentKey`. */
export class PageCache {
  readonly knownKeys = new KnownKeys()
  #pages: TaggedPages
  #versions = new TagVersions()
  /** The number of invalidations when this process began to serve. */
  #start = 0
  #renderings = new Map<string, Running>()
  #passed: LRUCache<string, true>
  #retries: LRUCache<string, { at: number; pauseMs: number }>
  #store: SharedStore | null
  #now: () => number
  #invalidations = 0

  /**
   * @param maxBytes The memory for all pages.
   * @param store The part of the cache that other processes share (null).
   * @param now Returns milliseconds since 1970 (`Date.now`).
   */
  constructor(maxBytes: number, store: SharedStore | null = null, now = Date.now) {
    this.#store = store
    this.#now = now
    const createdAt = now()
    store?.onInvalidate((tags, isStart) => {
      const isAtStart = isStart && this.#versions.now === 0 && now() - createdAt < START_MS
      if (tags.includes(EVERY_TAG)) this.#forgetAll()
      else this.#forget(tags)
      if (isAtStart) this.#start = this.#versions.now
    })
    this.#pages = createTaggedPages(maxBytes)
    this.#passed = new LRUCache({ max: MAX_PASSED })
    this.#retries = new LRUCache({ max: MAX_PASSED })
  }

  /** Returns the page that may be served, fresh or stale; null if there is none. */
  find(key: string): { page: StoredPage; isStale: boolean } | null {
    const page = this.#pages.get(key)
    if (!page) return null
    const freshness = page.freshnessAt(this.#now())
    if (freshness === 'expired') this.#pages.delete(key)
    return freshness === 'expired' ? null : { page, isStale: freshness === 'stale' }
  }

  /** Whether other processes use the cache, too. */
  get isShared(): boolean {
    return this.#store !== null
  }

  /** Returns the result of the rendering that is running for a key; null if none is. */
  awaitRendering(key: string): Promise<RenderingResult> | null {
    return this.#renderings.get(key)?.promise ?? null
  }

  /** Whether a stale page may be rendered now: it is not being rendered, nor in the pause after a failure. */
  mayRefresh(key: string): boolean {
    if (this.#renderings.has(key) || this.isPassed(key)) return false
    const { at, pauseMs } = this.#retries.get(key) ?? { at: 0, pauseMs: 0 }
    const leftMs = at - this.#now()
    // More than the whole pause is left if the clock was set back.
    return leftMs <= 0 || leftMs > pauseMs
  }

  /** Whether the page must not be stored for now: see `pass`. */
  isPassed(key: string): boolean {
    return this.#passed.get(key) === true
  }

  /** Whether no tag was invalidated since this process started: then older responses may be served. */
  wasNeverInvalidated(tags: readonly string[]): boolean {
    return this.#versions.areCurrent(tags, this.#start)
  }

  /** Marks a page that must not be stored, for a minute. In this time it is rendered for each request. */
  pass(key: string) {
    this.#passed.set(key, true, { ttl: PASS_MS })
  }

  /**
   * Asks the other processes for the response of a page before this process renders it.
   *
   * @param maxMs The longest time that a render takes, in milliseconds.
   * @param stale The stale response; null for none. Only a newer one is used. A store tells about when a response was
   *   rendered, so the stale one itself may seem newer.
   * @param isBehind Whether a response is too old for the request (no response is).
   * @returns Null if there is a stale response, and another process is rendering the new one.
   */
  async takeTurn(
    key: string,
    maxMs: number,
    stale: StoredResponse | null,
    isBehind: (response: StoredResponse) => boolean = () => false,
  ): Promise<GroupTurn | OthersTurn | null> {
    if (this.#store === null) return ALONE
    const isNewer = ({ id, storedAt }: StoredResponse) =>
      stale === null || (id !== stale.id && storedAt > stale.storedAt)
    const isWanted = (response: StoredResponse) =>
      isNewer(response) && !isBehind(response) && freshnessOf(response, this.#now()) !== 'expired'
    return takeTurn(this.#store, { key, maxMs, isWanted, isRefresh: stale !== null })
  }

  /** Begins a rendering that other requests can wait for, until `store` or `giveUp`. */
  begin(key: string, route: string): Rendering {
    const since = this.#versions.now
    let settle: (result: RenderingResult) => void = () => {}
    const promise = new Promise<RenderingResult>((resolve) => {
      settle = resolve
    })
    const running: Running = { promise, tags: null }
    this.#renderings.set(key, running)
    const end = (result: RenderingResult) => {
      // An invalidation may have removed this rendering, and another rendering may have begun.
      if (this.#renderings.get(key) === running) this.#renderings.delete(key)
      settle(result)
    }
    let isStored = false
    return {
      setTags: (tags) => {
        running.tags = tags
      },
      store: (response) => {
        isStored = true
        const page = this.#createPage(key, route, response)
        const isCurrent = this.#versions.areCurrent(response.tags, since)
        if (isCurrent) this.#pages.add(key, page)
        this.#retries.delete(key)
        end(isCurrent ? page : 'outdated')
        return page
      },
      giveUp: () => {
        if (isStored) return
        this.#delay(key)
        end(null)
      },
    }
  }

  /**
   * Removes stored pages, and keeps those that are being rendered from being stored. Resolves when the other processes
   * of this machine have removed them too, and the store has recorded it, or cannot be reached now.
   */
  async invalidate(invalidation: Invalidation): Promise<InvalidationResult> {
    this.#invalidations++
    const tags = tagsToInvalidate(invalidation)
    this.#forget(tags)
    return { isRecorded: (await this.#store?.invalidate(tags)) ?? true }
  }

  /** Removes all pages, as `invalidate` does. */
  async clear(): Promise<InvalidationResult> {
    this.#invalidations++
    this.#forgetAll()
    return { isRecorded: (await this.#store?.clear()) ?? true }
  }

  /** Hands over or logs the invalidations that the store has not recorded, and closes the store. */
  async close(): Promise<void> {
    await this.#store?.close()
  }

  measureStore(recorder: StoreRecorder) {
    this.#store?.measure(recorder)
  }

  counts(): StoredCounts {
    return { ...this.#pages.counts(), invalidations: this.#invalidations }
  }

  /** Counts the stored responses, by route and by tag. */
  contents(): CacheContents {
    return this.#pages.contents()
  }

  #forget(tags: readonly string[]) {
    this.#versions.invalidate(tags)
    this.#pages.deleteTagged(tags)
    // Later requests must not wait for renderings that are outdated now.
    for (const [key, { tags: renderingTags }] of this.#renderings)
      if (renderingTags === null || tags.some((tag) => renderingTags.includes(tag))) this.#renderings.delete(key)
  }

  #forgetAll() {
    this.#versions.invalidateAll()
    this.#renderings.clear()
    this.#pages.clear()
    this.#passed.clear()
    this.#retries.clear()
  }

  #createPage(key: string, route: string, response: StoredResponse): StoredPage {
    const page: StoredPage = new StoredPage(route, response, () => this.#pages.recount(key, page))
    return page
  }

  #delay(key: string) {
    const pauseMs = Math.min((this.#retries.get(key)?.pauseMs ?? RETRY_MS / 2) * 2, MAX_RETRY_MS)
    this.#retries.set(key, { at: this.#now() + pauseMs, pauseMs })
  }
}

/** Pages by their keys and tags, within a limit of memory. */
export type TaggedPages = ReturnType<typeof createTaggedPages>

export function createTaggedPages(maxBytes: number) {
  const keysByTag = new Map<string, Set<string>>()
  let evictions = 0
  const pages = new LRUCache<string, StoredPage>({
    maxSize: maxBytes,
    sizeCalculation: sizeOf,
    dispose(page, key, reason) {
      if (reason === 'evict') evictions++
      forgetTags(key, page)
    },
  })

  function add(key: string, page: StoredPage) {
    pages.set(key, page)
    // A page that is larger than the cache is not kept.
    if (!pages.has(key)) return
    for (const tag of page.response.tags) {
      const keys = keysByTag.get(tag) ?? new Set()
      keysByTag.set(tag, keys.add(key))
    }
  }

  function forgetTags(key: string, { response }: StoredPage) {
    for (const tag of response.tags) {
      const keys = keysByTag.get(tag)
      keys?.delete(key)
      if (keys?.size === 0) keysByTag.delete(tag)
    }
  }

  return {
    get: (key: string): StoredPage | undefined => pages.get(key),
    add,
    delete: (key: string) => void pages.delete(key),
    /** Counts the memory of a page again, if it is still stored. */
    recount(key: string, page: StoredPage) {
      if (pages.peek(key) !== page) return
      // `lru-cache` counts the memory of a page again only if it is new.
      pages.delete(key)
      add(key, page)
    },
    deleteTagged(tags: readonly string[]) {
      for (const tag of tags) for (const key of [...(keysByTag.get(tag) ?? [])]) pages.delete(key)
    },
    clear: () => pages.clear(),
    counts: (): Omit<StoredCounts, 'invalidations'> => ({
      entries: pages.size,
      bytes: pages.calculatedSize,
      evictions,
    }),
    /** Counts the stored responses, by route and by tag. */
    contents: (): CacheContents =>
      addCacheContents([
        {
          routes: Array.from(pages.entries(), ([key, page]) => ({
            route: page.route,
            entries: 1,
            bytes: sizeOf(page, key),
          })),
          tags: [...keysByTag].map(([tag, { size }]) => ({ tag, entries: size })),
        },
      ]),
  }
}

/** Returns the memory that a page takes with its key, in bytes. */
const sizeOf = (page: StoredPage, key: string) => page.size + 2 * key.length

/** The greatest number of tags whose last invalidation is known. */
const MAX_KNOWN_TAGS = 10_000

/**
 * Remembers when each tag was last invalidated, so that a response is not stored if one of its tags was invalidated
 * during the render. The number of invalidations so far serves as the time.
 */
export class TagVersions {
  #now = 0
  #last = new LRUCache<string, number>({
    maxSize: MAX_KNOWN_TAGS,
    sizeCalculation: () => 1,
    dispose: (time, _, reason) => {
      if (reason === 'evict') this.#forgotten = Math.max(this.#forgotten, time)
    },
  })
  /** The latest invalidation of all tags that are no longer in `#last`. */
  #forgotten = 0
  /** The latest invalidation of everything. */
  #all = 0

  get now(): number {
    return this.#now
  }

  /** @param at The time, which never decreases (the next one). */
  invalidate(tags: readonly string[], at = this.#now + 1) {
    this.#now = Math.max(this.#now, at)
    for (const tag of tags) this.#last.set(tag, this.#now)
  }

  invalidateAll(at = this.#now + 1) {
    this.#now = Math.max(this.#now, at)
    this.#last.clear()
    this.#all = this.#now
    this.#forgotten = this.#now
  }

  /** Whether none of the tags has been invalidated after `since`. */
  areCurrent(tags: readonly string[], since: number): boolean {
    return this.#all <= since && tags.every((tag) => (this.#last.peek(tag) ?? this.#forgotten) <= since)
  }
}
