import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildPeer } from '../compare/build.ts'
import { type Peer, readPeer } from '../compare/peer.ts'
import { runCommand } from '../run-command.ts'
import { addCounter, addLink } from './patches.ts'

/** Copies of the peers with the changes that the measurements in the browser need. */
export interface Copies {
  peers: readonly Peer[]
  /** The peers that are left out, and why. */
  problems: readonly string[]
}

/** Copies, changes and builds all peers. A peer that fails is left out. */
export async function createCopies(
  originals: readonly Peer[],
  work: string,
  note: (text: string) => void,
): Promise<Copies> {
  const peers: Peer[] = []
  const problems: string[] = []
  for (const original of originals) {
    note(`${original.name}: build with the changes for the browser`)
    try {
      const copy = await copyPeer(original, join(work, 'browser', original.name))
      addLink(copy)
      addCounter(copy)
      await buildPeer(copy)
      peers.push(copy)
    } catch (error) {
      problems.push(`${original.name} is left out: ${error instanceof Error ? error.message : error}`)
    }
  }
  return { peers, problems }
}

async function copyPeer(peer: Peer, dir: string): Promise<Peer> {
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  cpSync(peer.dir, dir, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  // Some build tools refuse modules that are links to another folder.
  const modules = join(peer.dir, 'node_modules')
  await runCommand(['cp', '--archive', '--link', modules, dir], { dir, log: `${dir}.copy.log` })
  return readPeer(dir)
}
