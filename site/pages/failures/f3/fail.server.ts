export async function load(): Promise<{ name: string }> {
  throw new Error('SECRET-MARKER f3: the load of the page fails')
}
