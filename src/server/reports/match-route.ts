import { decodeLoosely } from '../../shared/decode-loosely.ts'

/**
 * Returns the route that Fastify's router would choose for a path, or null. In each segment a static part wins over a
 * parameter, and a parameter over a catch-all.
 */
export function matchRoute<Route extends { url: string }>(path: string, routes: readonly Route[]): Route | null {
  const parts = path.split('/').slice(1).map(decodeLoosely)
  let best: { route: Route; rank: string } | null = null
  for (const route of routes) {
    const rank = rankOf(route.url.split('/').slice(1), parts)
    if (rank !== null && (best === null || rank < best.rank)) best = { route, rank }
  }
  return best?.route ?? null
}

/** Returns a letter for each segment, the better match first in the alphabet; null when one does not match. */
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
