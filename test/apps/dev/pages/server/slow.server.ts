export async function load() {
  await fetch(process.env.BACKEND ?? '')
  return 'first'
}
