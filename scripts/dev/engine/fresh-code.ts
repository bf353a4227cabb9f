/** Loads code by ids: when it is first needed, and again after it has changed. */
export interface FreshCode {
  /**
   * Loads code. Resolves with null if it is fresh: it has been loaded and has not changed since. Requests that arrive
   * during the loading share its result.
   */
  refresh<Code>(id: string, load: () => Promise<Code>): Promise<Code | null>
  /** Makes the next request load the code again. */
  expire(id: string): void
}

/** @param onLoaded Is called when the current code of an id has been loaded. */
export function createFreshCode(onLoaded: (id: string) => void): FreshCode {
  /** The promises of code that is being loaded; null for fresh code. */
  const fresh = new Map<string, Promise<unknown> | null>()

  function refresh<Code>(id: string, load: () => Promise<Code>): Promise<Code | null> {
    const existing = fresh.get(id)
    // Each id has one type of code.
    if (existing !== undefined) return (existing ?? Promise.resolve(null)) as Promise<Code | null>
    const loading: Promise<Code | null> = load().then(
      (code) => {
        // The code has changed during the loading, so this result is outdated.
        if (fresh.get(id) !== loading) return refresh(id, load)
        fresh.set(id, null)
        onLoaded(id)
        return code
      },
      (error: unknown) => {
        if (fresh.get(id) === loading) fresh.delete(id)
        throw error
      },
    )
    fresh.set(id, loading)
    return loading
  }

  return { refresh, expire: (id) => fresh.delete(id) }
}
