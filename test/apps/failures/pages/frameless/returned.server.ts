export async function load() {
  return new Response('<p>').json()
}
