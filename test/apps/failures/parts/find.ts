export function find(name: string) {
  // Two lines of comment,
  // which a minifier takes away.
  throw new Error(name) // fails: load
}
