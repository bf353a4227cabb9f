export async function load() {
  return await new Response('<p>').json()
}
