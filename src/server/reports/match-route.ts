/** The route that a path belongs to as Fastify's router would find it, or null: static parts first, a catch-all last. */
export function matchRoute<Route extends { url: string }>(path: string, routes: readonly Route[]): Route | null {
  const parts = path.split('/').slice(1)
  let best: { route: Route; rank: string } | null = null
  for (const route of routes) {
    const rank = rankOf(route.url.split('/').slice(1), parts)
    if (rank !== null && (best === null || rank < best.rank)) best = { route, rank }
  }
  return best?.route ?? null
}

/** How well each part fits, a letter for each, the better ones first in the alphabet; null if one does not. */
function rankOf(pattern: readonly string[], parts: readonly string[]): string | null {
  let rank = ''
  for (const [index, wanted] of pattern.entries()) {
    const part = parts[index]
    if (wanted === '*') return part === undefined ? null : `${rank}c`
    if (part === wanted) rank += 'a'
    else if (wanted.startsWith(':') && part) rank += 'b'
    else return null
  }
  return pattern.length === parts.length ? rank : null
}
