// Globals of both Node.js and browsers that this folder uses. It may use no others.

declare global {
  /**
   * Defined only in the bundles for browsers. A test of `typeof` lets the build remove code that only the server runs.
   */
  const HYDRANT_BROWSER: true

  interface URLSearchParams extends Iterable<[string, string]> {
    append(name: string, value: string): void
    toString(): string
  }
  const URLSearchParams: { new (query: string | Iterable<[string, string]>): URLSearchParams }

  interface FormData {
    append(name: string, value: string): void
  }
  const FormData: { new (): FormData }

  interface URL {
    readonly href: string
    readonly pathname: string
    readonly search: string
  }
}

export {}
