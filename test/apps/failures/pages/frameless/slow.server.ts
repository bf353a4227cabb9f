// A busy browser notices a deadline late.
export function load() {
  return new Promise((resolve) => setTimeout(resolve, 2_000, 'late'))
}
