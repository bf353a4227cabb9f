import type { Ratios } from '../documentation/ratios.ts'

/** A server without a framework. */
const BY_HAND = 'Fastify by hand'
/** Below this ratio, Hydrant is behind. Ratios nearer to 1 are noise. */
export const BEHIND = 0.97

/** Formats how many times better Hydrant is. */
export function showRatio(ratio: number): string {
  return ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)
}

/** Returns the ratios of a figure to the frameworks. */
export function listRatios({ servers, figures }: Ratios, title: string): number[] {
  const { ratios = [] } = figures.find((figure) => figure.title === title) ?? {}
  return ratios.flatMap((ratio, index) => (ratio === null || servers[index] === BY_HAND ? [] : ratio))
}
