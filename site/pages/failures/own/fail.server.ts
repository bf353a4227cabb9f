export async function load(): Promise<{ name: string }> {
  throw new Error('SECRET-MARKER own: a page with an error.tsx fails')
}
