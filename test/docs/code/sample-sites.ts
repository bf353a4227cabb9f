// The sites that the documents build up, from the files that they show.

import { type CodeBlock, placeOf } from './code-block.ts'
import { givenSite } from './given-files.ts'

/** A site as a reader has it at some point of a document. */
export interface SampleSite {
  document: string
  /** The blocks by the paths of their files. */
  blocks: ReadonlyMap<string, CodeBlock>
  /** The contents of all files, by path. */
  files: Readonly<Record<string, string>>
}

const SITE_FILE =
  /^(?:(?:pages|components|shop)\/.+\.(?:tsx?|s?css|mdx|svg)|(?:server|hydrant\.config|(?:links|mdx)\.d)\.ts|instrument\.js|tsconfig\.json)$/
const EMPTY_PAGE = 'export default function Page() {\n  return <p>page</p>\n}\n'

/** Says whether the block is a whole file of a site. */
export function isSiteFile({ path, isFragment }: CodeBlock): boolean {
  return !isFragment && SITE_FILE.test(path)
}

/**
 * Returns the sites of a document. A file that the document shows again is a new version: the next site has it, and the
 * other files as they were.
 */
export function sitesOf(document: string, blocks: readonly CodeBlock[]): SampleSite[] {
  const sites: SampleSite[] = []
  let known = new Map<string, CodeBlock>()
  let added = new Set<string>()
  const finish = () => {
    if (added.size > 0) sites.push({ document, blocks: known, files: completeSite(known) })
    known = new Map(known)
    added = new Set()
  }
  for (const block of blocks.filter((block) => block.document === document && isSiteFile(block))) {
    if (added.has(block.path)) finish()
    known.set(block.path, block)
    added.add(block.path)
  }
  finish()
  return sites
}

/** Adds the files that the reader has, and a page for each server file that is shown without its page. */
function completeSite(blocks: ReadonlyMap<string, CodeBlock>): Record<string, string> {
  const shown = Object.fromEntries([...blocks].map(([path, { text }]) => [path, text]))
  const files = { ...givenSite, ...shown }
  const pages = Object.keys(files)
    .filter((path) => /^pages\/.*(?<!layout)\.server\.ts$/.test(path))
    .map((path) => path.replace('.server.ts', ''))
    .filter((stem) => !['.tsx', '.mdx'].some((extension) => Object.hasOwn(files, stem + extension)))
    .map((stem) => `${stem}.tsx`)
  return { ...files, ...Object.fromEntries(pages.map((path) => [path, EMPTY_PAGE])) }
}

/** Replaces the places in a message about files, which are given by their paths, with places in the document. */
export function toDocumentPlaces(blocks: ReadonlyMap<string, CodeBlock>, message: string): string {
  return [...blocks].reduce((text, [path, block]) => {
    const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const places = new RegExp(`(?<![\\w/.])${escaped}(?:\\((\\d+),\\d+\\)|:(\\d+)(?::\\d+)?)`, 'g')
    return text.replace(places, (_, first, second) => placeOf(block, Number(first ?? second)))
  }, message)
}
