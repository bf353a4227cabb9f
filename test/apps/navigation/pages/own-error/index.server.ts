export async function load() {
  throw new Error('SECRET-MARKER of the load')
}
