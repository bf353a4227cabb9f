// Remembers which errors the developer has closed, also when the page loads again.

const KEY = 'hydrant-closed-errors'
/** The errors of a page are gone for a moment while it loads again. */
const FORGET_AFTER_MS = 2_000

/** Creates the memory. `currentIds` returns the ids of the current errors: closed errors that are gone are forgotten. */
export function createClosedErrors(currentIds: () => readonly string[]) {
  let timer: ReturnType<typeof setTimeout> | undefined

  function forgetGone() {
    const current = currentIds()
    write(read().filter((id) => current.includes(id)))
  }

  return {
    read,
    write,
    /** Forgets the closed errors that are still gone in a moment. */
    tidy() {
      clearTimeout(timer)
      timer = setTimeout(forgetGone, FORGET_AFTER_MS)
    },
  }
}

function read(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.map(String) : []
  } catch {
    // The browser does not allow storage.
    return []
  }
}

function write(ids: readonly string[]) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(ids))
  } catch {
    // The browser does not allow storage. The errors open again when the page is loaded again.
  }
}
