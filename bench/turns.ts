import type { Asker, Path } from './asker.ts'

export const CONNECTIONS = 50
export const TURN_MS = 250
export const BEFORE_TURN_MS = 100

/** Requests to measure. */
export interface Way {
  asker: Asker
  path: Path
}

/**
 * Measures all ways, one array per turn.
 *
 * @param measure Measures one way for a moment (requests per second).
 */
export async function takeTurns<W extends Way>(
  ways: readonly W[],
  turns: number,
  warmUpMs: number,
  measure: (way: W) => Promise<number> = ({ asker, path }) => asker.saturate(path, TURN_MS),
): Promise<number[][]> {
  for (const { asker, path } of ways) await asker.saturate(path, warmUpMs)
  const all: number[][] = []
  while (all.length < turns) {
    const rates: number[] = []
    for (const way of ways) {
      // Not measured: after a pause or other work, a server is slower for a moment.
      await way.asker.saturate(way.path, BEFORE_TURN_MS)
      rates.push(await measure(way))
    }
    all.push(rates)
  }
  return all
}
