// Remembers which errors the developer has closed, also when the page loads again.

const KEY = 'hydrant-closed-errors'
/** A page that loads again has no errors for a moment. */
const FORGET_AFTER_MS = 2_000

let timer: ReturnType<typeof setTimeout> | undefined

/** Returns the ids of the errors that were closed. Forgets them when there are no errors for some time. */
export function readClosed(ids: readonly string[]): readonly string[] {
  clearTimeout(timer)
  if (ids.length === 0) timer = setTimeout(writeClosed, FORGET_AFTER_MS, [])
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.map(String) : []
  } catch {
    // The browser does not allow storage.
    return []
  }
}

export function writeClosed(ids: readonly string[]) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(ids))
  } catch {
    // The browser does not allow storage. The errors open again when the page is loaded again.
  }
}
