import { BOOT_VARIABLE, type Boot } from '../shared/wire/boot.ts'
import type { repair } from './repair.ts'

// A page that is open during a deployment may import a script of the old build, which no longer exists. The page of
// the new build imports another one. If that is missing too, the page must not reload forever.

// The message in Chromium and Firefox, and in Safari.
const MISSING = /import(ed|ing a) m/i

/**
 * Returns the function that tries to recover from an error. It returns a promise to wait for, or 0 if the part that
 * failed can be rendered again.
 *
 * - A script cannot be loaded: a part that the server has rendered stays, see `missing-part.ts`. Otherwise the page is
 *   loaded again, and the promise never settles. The same path is not loaded twice in a row, nor without session storage.
 * - React has thrown because a translation or an extension has changed the page: see `repair.ts`.
 *
 * @param reloading False if the page is not loaded again when a script is missing.
 */
export function createRecover(boot: Boot) {
  /** False if the page is not reloaded when a script is missing. */
  let reloading: Promise<never> | false | undefined = boot.reload
  let loaded: typeof repair | undefined
  // `sessionStorage` throws if it is full or turned off.
  addEventListener('pagehide', () => {
    try {
      reloading ?? delete sessionStorage[BOOT_VARIABLE]
    } catch {}
  })

  function reload() {
    if (reloading !== undefined) return reloading
    reloading = false
    try {
      // A page that has been open for a minute has worked, so it may be loaded again. A constant would take more bytes.
      if (sessionStorage[BOOT_VARIABLE] !== location.pathname || performance.now() > 60_000) {
        sessionStorage[BOOT_VARIABLE] = location.pathname
        location.reload()
        reloading = new Promise(() => {})
      }
    } catch {}
    return reloading
  }

  return (thrown: unknown, boundary?: object): Promise<undefined> | 0 | false | undefined => {
    const isMissing = thrown instanceof Error && MISSING.test(thrown.message)
    // A script of the page itself. The promise never settles.
    if (!boundary) return reload() || Promise.reject(thrown)
    if (!isMissing && !(thrown instanceof DOMException)) return reloading
    if (loaded) return loaded(thrown, boundary, reload)
    return import('./repair.ts').then(
      ({ repair }): undefined => {
        loaded = repair
      },
      // Without the code, the failure is shown, or the page loaded again.
      (): undefined => {
        loaded = () => isMissing && reload()
      },
    )
  }
}
