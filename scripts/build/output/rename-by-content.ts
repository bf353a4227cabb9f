import { contentHash } from '../esbuild/content-hash.ts'

export interface BundledFile {
  name: string
  text: string
  /** Names of the bundled files in its text. */
  references: readonly string[]
  /** The module that only this file contains (none). Files of different modules have different names. */
  module?: string | undefined
}

/**
 * Returns new names for bundled files. A name is a hash of the content of the file and of all files that it refers to.
 * esbuild's hashes include the paths of the sources, which depend on where a package is installed. A new name is as
 * long as the old one, so that positions in source maps stay valid.
 */
export function nameByContent(files: readonly BundledFile[]): Map<string, string> {
  const parsed = new Map(files.map((file) => [file.name, parse(file)]))
  const renamed = new Map<string, string>()
  const stylesheets = new Map<string, string>()
  for (const name of [...parsed.keys()].sort()) {
    const hash = contentHash(describeFile(name, parsed), parsed.get(name)?.module ?? '')
    const newName = name.replace(/[A-Z2-7]{8}(?=\.\w+$)/, hash)
    // Pages often have equal stylesheets: under one name a browser fetches them once.
    const equal = newName.endsWith('.css') ? stylesheets.get(hash) : undefined
    renamed.set(name, equal ?? newName)
    stylesheets.set(hash, equal ?? newName)
  }
  return renamed
}

export function applyNames({ text, references }: BundledFile, names: ReadonlyMap<string, string>): string {
  return references.reduce((rest, name) => rest.replaceAll(name, names.get(name) ?? name), text)
}

interface ParsedFile extends Pick<BundledFile, 'module'> {
  hash: string
  references: string[]
}

function parse({ text, references, module }: BundledFile): ParsedFile {
  const inOrder = [...new Set(references)].sort((a, b) => text.indexOf(a) - text.indexOf(b))
  const plain = inOrder.reduce((rest, name, index) => rest.replaceAll(name, `\0${index}`), text)
  return { hash: contentHash(plain), references: inOrder, module }
}

/**
 * Describes a file by the hashes of all files that it leads to, in the order of their references. References are
 * numbers, because they may be circular.
 */
function describeFile(name: string, files: ReadonlyMap<string, ParsedFile>): string {
  const order = new Map([[name, 0]])
  const lines: string[] = []
  for (const [current] of order) {
    const file = files.get(current)
    const numbers = (file?.references ?? []).map((reference) => {
      const number = order.get(reference) ?? order.size
      order.set(reference, number)
      return number
    })
    lines.push(`${file?.hash} ${numbers.join(' ')}`)
  }
  return lines.join('\n')
}
