// Changes of the peers' sources that the measurements in the browser need. All peers have the same components.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Peer } from '../compare/peer.ts'

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
export function addLink(peer: Peer) {
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
export function addCounter({ dir }: Peer) {
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
