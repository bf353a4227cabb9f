/** The greatest number of tags whose last invalidation is known. */
const MAX_KNOWN_TAGS = 10_000

/**
 * Remembers when each tag was last invalidated, so that a response is not stored if one of its tags was invalidated
 * during the render. The number of invalidations so far serves as the time.
 */
export class TagVersions {
  #now = 0
  #last = new Map<string, number>()
  /** The latest invalidation of all tags that are no longer in `#last`. */
  #forgotten = 0
  /** The latest invalidation of everything. */
  #all = 0

  get now(): number {
    return this.#now
  }

  invalidate(tags: readonly string[]) {
    this.#now++
    for (const tag of tags) {
      this.#last.delete(tag)
      this.#last.set(tag, this.#now)
    }
    while (this.#last.size > MAX_KNOWN_TAGS) {
      const [oldest] = this.#last
      if (!oldest) return
      this.#last.delete(oldest[0])
      this.#forgotten = Math.max(this.#forgotten, oldest[1])
    }
  }

  invalidateAll() {
    this.#now++
    this.#last.clear()
    this.#all = this.#now
    this.#forgotten = this.#now
  }

  /** Whether none of the tags has been invalidated after `since`. */
  areCurrent(tags: readonly string[], since: number): boolean {
    return this.#all <= since && tags.every((tag) => (this.#last.get(tag) ?? this.#forgotten) <= since)
  }
}
