export async function load() {
  return { name: 'Soak' }
}
