// A page that is open while its site is deployed may ask for a part of the old build, which is no longer there. The page
// of the new build has it. One that is missing there too must not load itself again for ever.

const STORED = 'hydrant-again'
/** A page that has stood for so long has worked. */
const MOMENT_MS = 60_000

// Chromium and Firefox, Safari.
const MISSING = /imported module|importing a module/i

/**
 * Loads the page again when what was thrown says that a part of it cannot be loaded, unless that has just been done, and
 * returns what to wait for meanwhile. Where nothing can be remembered, nothing is loaded again.
 */
export function createRecovery() {
  let meanwhile: Promise<never> | undefined
  let isMissing = false
  // A browser that keeps nothing throws when it is asked to, be it full or told so.
  addEventListener('pagehide', () => {
    try {
      if (!isMissing) sessionStorage.removeItem(STORED)
    } catch {}
  })

  return (thrown: unknown): Promise<never> | undefined => {
    if (meanwhile || !(thrown instanceof Error && MISSING.test(thrown.message))) return meanwhile
    isMissing = true
    const address = location.pathname + location.search
    try {
      if (sessionStorage.getItem(STORED) === address && performance.now() < MOMENT_MS) return
      sessionStorage.setItem(STORED, address)
      meanwhile = new Promise(() => {})
      location.reload()
    } catch {}
    return meanwhile
  }
}
