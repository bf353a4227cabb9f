import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Peer } from '../compare/peer.ts'
import type { GrowthFigures, SizeFigures } from './figures.ts'
import { type GrowthPlan, measureSize } from './measure-size.ts'
import { compareNext, findNext } from './next.ts'

export interface GrowthRun {
  plan: GrowthPlan
  work: string
  peers: readonly Peer[]
  note: (text: string) => void
  /** Receives everything that could not be measured. */
  onProblem: (text: string) => void
}

/** The most pages that are also built with Next, which takes a minute for a thousand. */
const MOST_NEXT_PAGES = 1_000

/** Measures generated sites of several sizes. A size that fails does not stop the others. */
export async function measureGrowth(run: GrowthRun): Promise<GrowthFigures> {
  const { plan, work, peers, note, onProblem } = run
  const folder = join(work, 'growth')
  // An interrupted run leaves its sites behind.
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const figures: SizeFigures[] = []
  let next: GrowthFigures['next'] = null
  const peer = findNext(peers)
  const comparedSize = Math.max(...plan.sizes.filter((pages) => pages <= MOST_NEXT_PAGES))
  if (!peer) onProblem('no build was compared, because no peer uses the app router of Next')
  try {
    for (const pages of plan.sizes) {
      const dir = join(folder, `site-${pages}`)
      try {
        figures.push(await measureSize(dir, pages, plan, note))
        if (peer && pages === comparedSize) {
          note(`${pages} pages: Hydrant, Next, Hydrant`)
          next = await compareNext(peer, dir, folder, pages)
        }
      } catch (error) {
        onProblem(`${pages} pages: ${error instanceof Error ? error.message : error}`)
      }
      rmSync(dir, { recursive: true, force: true })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { sizes: figures, next }
}
