// What Node and browsers have in common and this room uses. Nothing else of either may appear here.

declare global {
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
