import type { repair } from './repair.ts'

// A page that is open during a deployment may import a script of the old build, which no longer exists. The page of
// the new build imports another one. If that is missing too, the page must not reload forever.

const STORED = 'hydrant-reload'
/** A page that has been open for this long has worked, so it may reload again. */
const MOMENT_MS = 60_000

// The message in Chromium and Firefox, and in Safari.
const MISSING = /import(ed|ing a) module/i

/**
 * Returns the function that tries to recover from an error. It returns a promise to wait for, or 0 if the part that
 * failed can be rendered again.
 *
 * - A script cannot be loaded: it reloads the page, and the promise never settles. It does not reload the same path
 *   twice in a row, nor without session storage.
 * - React has thrown because a translation or an extension has changed the page: see `repair.ts`.
 */
export function createRecover() {
  /** False if a script is missing and the page is not reloaded. */
  let reloading: Promise<never> | false | undefined
  let loaded: typeof repair | undefined
  // `sessionStorage` throws if it is full or turned off.
  addEventListener('pagehide', () => {
    try {
      reloading ?? delete sessionStorage[STORED]
    } catch {}
  })

  return (thrown: unknown): Promise<undefined> | 0 | false | undefined => {
    if (thrown instanceof DOMException)
      return loaded
        ? loaded(thrown)
        : import('./repair.ts').then(
            ({ repair }): undefined => {
              loaded = repair
            },
            // Without the code, the failure is shown.
            (): undefined => {
              loaded = () => {}
            },
          )
    if (reloading || !(thrown instanceof Error && MISSING.test(thrown.message))) return reloading
    reloading = false
    try {
      if (sessionStorage[STORED] !== location.pathname || performance.now() > MOMENT_MS) {
        sessionStorage[STORED] = location.pathname
        reloading = new Promise(() => {})
        location.reload()
      }
    } catch {}
    return reloading
  }
}
