import type { Ratios } from '../documentation/ratios.ts'

/** A server without a framework. */
const BY_HAND = 'Fastify by hand'
/** Below this ratio, Hydrant is behind. Ratios nearer to 1 are noise. */
const BEHIND = 0.97

/**
 * Shows how many times better Hydrant is than the frameworks whose name begins with `name`: `1.18 to 1.83×`. Returns null
 * without a ratio, and if Hydrant is behind one of them.
 */
export function showGain(ratios: Ratios, title: string, name = ''): string | null {
  const listed = listRatios(ratios, title, name)
  const [least, most] = [Math.min(...listed), Math.max(...listed)]
  if (listed.length === 0 || least < BEHIND) return null
  return least === most ? `${showRatio(least)}×` : `${showRatio(least)} to ${showRatio(most)}×`
}

/** Returns the figures in which Hydrant is behind at least one framework. */
export function listBehind(ratios: Ratios): string[] {
  const titles = ratios.figures.map(({ title }) => title)
  return titles.filter((title) => Math.min(...listRatios(ratios, title, '')) < BEHIND)
}

function listRatios({ servers, figures }: Ratios, title: string, name: string): number[] {
  const { ratios = [] } = figures.find((figure) => figure.title === title) ?? {}
  const isMeant = (server = '') => server.startsWith(name) && server !== BY_HAND
  return ratios.flatMap((ratio, index) => (ratio !== null && isMeant(servers[index]) ? ratio : []))
}

function showRatio(ratio: number): string {
  return ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)
}
