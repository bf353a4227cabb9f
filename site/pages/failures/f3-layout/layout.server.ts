export async function load(): Promise<{ name: string }> {
  throw new Error('SECRET-MARKER f3-layout: the load of a layout fails')
}
