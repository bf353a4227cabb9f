export async function buy(): Promise<void> {
  await null
  throw 'no basket'
}
