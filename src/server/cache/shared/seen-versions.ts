import type { Changes } from './backend.ts'
import { EVERY_TAG, type Versions } from './shared-store.ts'

/** The versions that this process has seen. */
export interface SeenVersions {
  /** Null before the first response of the store. */
  current(): Versions | null
  /**
   * Takes the changes of a store. Passes on the tags that are new to this process, or `EVERY_TAG` if they are not
   * known.
   */
  take(changes: Changes): void
  /**
   * Takes the versions after an invalidation of this process. Returns false if there were other invalidations in
   * between.
   */
  follow(versions: Versions): boolean
}

/**
 * @param onChanged Called with the new tags. `isStart` is true if the first response of a store does not contain the
 *   earlier invalidations; the tag is then `EVERY_TAG`.
 */
export function createSeenVersions(onChanged: (tags: readonly string[], isStart: boolean) => void): SeenVersions {
  let seen: Versions | null = null

  return {
    current: () => seen,
    take({ versions, tags }) {
      const isFirst = seen === null
      if (tags === null || (seen !== null && seen.epoch !== versions.epoch)) {
        seen = versions
        return onChanged([EVERY_TAG], isFirst)
      }
      // Another response may have arrived since this one was requested.
      const last = seen?.sequence ?? 0
      const changed = tags.filter(([, sequence]) => sequence > last).map(([tag]) => tag)
      if (seen === null || versions.sequence > last) seen = versions
      if (changed.length > 0) onChanged(changed, false)
    },
    follow(versions) {
      if (seen?.epoch !== versions.epoch || versions.sequence !== seen.sequence + 1) return false
      seen = versions
      return true
    },
  }
}
