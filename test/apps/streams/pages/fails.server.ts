export function load() {
  return { late: new Promise<string>((resolve) => setTimeout(resolve, 20, 'late')) }
}
