export function load() {
  return { late: new Promise<never>((_, reject) => setTimeout(() => reject(new Error('broken promise')), 50)) }
}
