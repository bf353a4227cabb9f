// A page that is open during a deployment may import a script of the old build, which no longer exists. The page of
// the new build imports another one. If that is missing too, the page must not reload forever.

const STORED = 'hydrant-again'
/** A page that has been open for this long has worked, so it may reload again. */
const MOMENT_MS = 60_000

// The message in Chromium and Firefox, and in Safari.
const MISSING = /imported module|importing a module/i

/**
 * Returns the function that reloads the page for an error that says that a script cannot be loaded, and then returns a
 * promise that never settles. It does not reload the same page twice in a row, nor without session storage.
 */
export function createReloadOnce() {
  let reloading: Promise<never> | undefined
  let isMissing = false
  // `sessionStorage` throws if it is full or turned off.
  addEventListener('pagehide', () => {
    try {
      if (!isMissing) sessionStorage.removeItem(STORED)
    } catch {}
  })

  return (thrown: unknown): Promise<never> | undefined => {
    if (reloading || !(thrown instanceof Error && MISSING.test(thrown.message))) return reloading
    isMissing = true
    const address = location.pathname + location.search
    try {
      if (sessionStorage.getItem(STORED) === address && performance.now() < MOMENT_MS) return
      sessionStorage.setItem(STORED, address)
      reloading = new Promise(() => {})
      location.reload()
    } catch {}
    return reloading
  }
}
