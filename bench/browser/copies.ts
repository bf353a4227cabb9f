// Copies of the peers with the changes that the measurements in the browser need. All peers have the same components.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { buildPeer, type Peer, readPeer } from '../compare/peer.ts'
import { runCommand } from '../run-command.ts'

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

/** A link of a framework: the code that imports it, and the link to `/data`. */
interface Link {
  /** The packages by which the framework is recognized. */
  packages: readonly string[]
  imports: string
  element: string
}

/** The id of the added link. */
export const LINK_ID = 'next'

/** Each link fetches the next page in advance if the framework can do that. */
const LINKS: readonly Link[] = [
  { packages: ['hydrant'], imports: '', element: '<a id="next" href="/data">Data</a>' },
  {
    packages: ['@tanstack/react-start'],
    imports: "import { Link } from '@tanstack/react-router'\n",
    element: '<Link id="next" to="/data" preload="intent">Data</Link>',
  },
  {
    packages: ['@react-router/serve'],
    imports: "import { Link } from 'react-router'\n",
    element: '<Link id="next" to="/data" prefetch="intent">Data</Link>',
  },
  {
    packages: ['@fastify/react'],
    imports: "import { Link } from 'react-router'\n",
    element: '<Link id="next" to="/data">Data</Link>',
  },
  {
    packages: ['next'],
    imports: "import Link from 'next/link'\n",
    element: '<Link id="next" href="/data" prefetch={true}>Data</Link>',
  },
  { packages: ['vike-react'], imports: '', element: '<a id="next" href="/data">Data</a>' },
]

/** Returns whether a server's pages navigate without loading a document. */
export function hasRouter(peer: Peer): boolean {
  return findLink(peer) !== undefined
}

/** Adds a link to `/data` to the small page of a server with a client-side router. */
function addLink(peer: Peer) {
  const link = findLink(peer)
  if (!link) return
  const file = findSource(peer.dir, (text) => text.includes('<h1>Hello</h1>') && text.includes('<Counter />'))
  const text = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    addImport(text, link.imports).replace('<Counter />', () => `<Counter />\n      ${link.element}`),
  )
}

/** Adds the counter below the tiles. */
function addCounter({ dir }: Peer) {
  const file = findSource(dir, (text) => text.includes('className="tile"') && text.includes('<div id="wrapper">'))
  const counter = findSource(dir, (text) => /export default function Counter\b/.test(text))
  const path = relative(dirname(file), counter)
  const imports = `import Counter from '${path.startsWith('.') ? path : `./${path}`}'\n`
  const text = addImport(readFileSync(file, 'utf8'), imports)
  const [all, before = ''] = /(<div id="wrapper">[\s\S]*?)<\/div>\n {2}\)/.exec(text) ?? []
  if (all === undefined) throw new Error(`${file} has no wrapper around the tiles`)
  writeFileSync(
    file,
    text.replace(all, () => `<>${before}</div><Counter /></>\n  )`),
  )
}

function findLink({ dependencies }: Peer): Link | undefined {
  return LINKS.find(({ packages }) => packages.every((name) => dependencies.includes(name)))
}

/** Puts imports behind a directive such as `'use client'`. */
function addImport(text: string, imports: string): string {
  const directive = /^'use \w+'\n/.exec(text)?.[0] ?? ''
  return directive + imports + text.slice(directive.length)
}

/** Returns the first source file that fits. */
function findSource(dir: string, fits: (text: string) => boolean): string {
  const file = listSources(dir).find((file) => fits(readFileSync(file, 'utf8')))
  if (file) return file
  throw new Error(`${dir} has no page of the benchmark that can be changed`)
}

function listSources(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) return /^(?:node_modules|dist|build|\..*)$/.test(entry.name) ? [] : listSources(path)
    return /\.[jt]sx$/.test(entry.name) ? [path] : []
  })
}
