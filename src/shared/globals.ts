// What Node and browsers have in common and this room uses. Nothing else of either may appear here.

declare global {
  /** Is there in the bundles for browsers only, which it keeps free of what only the server renders. */
  const HYDRANT_BROWSER: true

  interface URLSearchParams extends Iterable<[string, string]> {
    append(name: string, value: string): void
    toString(): string
  }
  const URLSearchParams: { new (query: string | Iterable<[string, string]>): URLSearchParams }

  interface URL {
    readonly href: string
    readonly pathname: string
    readonly search: string
  }
}

export {}
