import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildPeer, type Peer, versionIn } from '../compare/peer.ts'
import { type Cost, runCommand } from '../run-command.ts'
import { buildSite, type GrowthPlan, measureSize, type SizeFigures } from './measure-size.ts'
import { createNextPages } from './sources.ts'

export interface GrowthFigures {
  sizes: readonly SizeFigures[]
  /** Builds of the same pages by Hydrant and by Next, or null without Next among the peers. */
  next: NextFigures | null
}

export interface NextFigures {
  pages: number
  version: string
  hydrantMs: readonly number[]
  nextMs: number
  hydrantMb: number
  nextMb: number
}

interface GrowthRun {
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

/** Returns the peer that uses Next's app router, if there is one. */
function findNext(peers: readonly Peer[]): Peer | undefined {
  return peers.find(({ dir, dependencies }) => dependencies.includes('next') && existsSync(join(dir, 'app')))
}

/** Builds the same pages with Next, and with Hydrant before and after it. `site` is the generated site of Hydrant. */
async function compareNext(next: Peer, site: string, work: string, pages: number): Promise<NextFigures> {
  const dir = join(work, 'next')
  rmSync(dir, { recursive: true, force: true })
  cpSync(next.dir, dir, { recursive: true, filter: (path) => !/\/(?:node_modules|\.next)$/.test(path) })
  const log = join(work, 'next.log')
  // Next refuses modules that are links to another folder.
  await runCommand(['cp', '--archive', '--link', join(next.dir, 'node_modules'), dir], { dir, log })
  createNextPages(dir, pages)
  const before = await buildSite(site)
  const theirs = await buildPeer({ ...next, dir })
  const after = await buildSite(site)
  rmSync(dir, { recursive: true })
  return toFigures(pages, versionIn(join(next.dir, 'node_modules/next')), [before, after], theirs)
}

function toFigures(pages: number, version: string, own: readonly Cost[], theirs: Cost): NextFigures {
  return {
    ...{ pages, version, nextMs: theirs.ms, nextMb: theirs.peakMb },
    hydrantMs: own.map(({ ms }) => ms),
    hydrantMb: Math.max(...own.map(({ peakMb }) => peakMb)),
  }
}
