import { randomUUID } from 'node:crypto'
import type { Changes } from '../backend.ts'
import { EVERY_TAG, type Versions } from '../shared-store.ts'

/** The invalidations of tags, in the memory of a process. */
export interface TagSequences {
  /** Records an invalidation of these tags. `EVERY_TAG` begins a new epoch. */
  advance(tags: readonly string[]): Versions
  /** Whether it is known that none of the tags was invalidated since `since`. */
  isCurrent(tags: readonly string[], since: Versions): boolean
  changes(since: Versions | null): Changes
}

export function createTagSequences(maxTags: number): TagSequences {
  let epoch: string = randomUUID()
  let sequence = 0
  /** Invalidations up to this sequence are no longer known. */
  let floor = 0
  /** The sequence of each tag's last invalidation, in order. */
  const last = new Map<string, number>()

  /** Whether everything has been invalidated at least once. */
  let hasCleared = false

  const isKnown = (since: Versions) => since.epoch === epoch && since.sequence >= floor

  function forgetOldest() {
    for (const [tag, invalidated] of last) {
      if (last.size <= maxTags) return
      last.delete(tag)
      floor = invalidated
    }
  }

  return {
    advance(tags) {
      sequence++
      if (tags.includes(EVERY_TAG)) {
        epoch = randomUUID()
        last.clear()
        floor = 0
        hasCleared = true
        return { epoch, sequence }
      }
      for (const tag of tags) {
        last.delete(tag)
        last.set(tag, sequence)
      }
      forgetOldest()
      return { epoch, sequence }
    },
    isCurrent: (tags, since) => isKnown(since) && tags.every((tag) => (last.get(tag) ?? 0) <= since.sequence),
    changes(since) {
      const versions = { epoch, sequence }
      if (since === null && hasCleared) return { versions, tags: [[EVERY_TAG, sequence]] }
      if (since === null) return { versions, tags: floor === 0 ? [...last] : null }
      if (!isKnown(since)) return { versions, tags: null }
      if (since.sequence === sequence) return { versions, tags: [] }
      return { versions, tags: [...last].filter(([, invalidated]) => invalidated > since.sequence) }
    },
  }
}
