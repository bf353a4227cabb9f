import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Peer, pathFor } from '../compare/peer.ts'
import { type Cost, runCommand } from '../run-command.ts'
import type { NextFigures } from './figures.ts'
import { buildSite } from './measure-size.ts'
import { createNextPages } from './sources.ts'

/** Returns the peer that uses Next's app router, if there is one. */
export function findNext(peers: readonly Peer[]): Peer | undefined {
  return peers.find(({ dir, dependencies }) => dependencies.includes('next') && existsSync(join(dir, 'app')))
}

/** Builds the same pages with Next, and with Hydrant before and after it. `site` is the generated site of Hydrant. */
export async function compareNext(next: Peer, site: string, work: string, pages: number): Promise<NextFigures> {
  const dir = join(work, 'next')
  rmSync(dir, { recursive: true, force: true })
  cpSync(next.dir, dir, { recursive: true, filter: (path) => !/\/(?:node_modules|\.next)$/.test(path) })
  const log = join(work, 'next.log')
  // Next refuses modules that are links to another folder.
  await runCommand(['cp', '--archive', '--link', join(next.dir, 'node_modules'), dir], { dir, log })
  createNextPages(dir, pages)
  const before = await buildSite(site)
  const theirs = await runCommand(['sh', '-c', next.build], { dir, log, env: { ...NEXT_ENV, PATH: pathFor(dir) } })
  const after = await buildSite(site)
  rmSync(dir, { recursive: true })
  return toFigures(pages, versionOf(next.dir), [before, after], theirs)
}

const NEXT_ENV = { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }

function toFigures(pages: number, version: string, own: readonly Cost[], theirs: Cost): NextFigures {
  return {
    ...{ pages, version, nextMs: theirs.ms, nextMb: theirs.peakMb },
    hydrantMs: own.map(({ ms }) => ms),
    hydrantMb: Math.max(...own.map(({ peakMb }) => peakMb)),
  }
}

function versionOf(dir: string): string {
  // npm writes a version into the package.json of each installed package.
  return (JSON.parse(readFileSync(join(dir, 'node_modules/next/package.json'), 'utf8')) as { version: string }).version
}
