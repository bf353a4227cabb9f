import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { type Loader, type Message, transform } from 'esbuild'
import { fileAt, placeAt, type SourceLocation } from '../../build-problem.ts'
import { scriptOfMdx } from './mdx-exports.ts'
import { readLocation } from './translate-message.ts'

/** Finds the place of an export. Without one, it is the file as a whole. */
export async function findExport(siteDir: string, file: string, name: string): Promise<SourceLocation> {
  return (await placeOfExport(siteDir, file, name)) ?? fileAt(file)
}

/** Returns whether a module exports a name. Also returns false for a file that cannot be read. */
export async function isExported(siteDir: string, file: string, name: string): Promise<boolean> {
  return (await placeOfExport(siteDir, file, name).catch(() => null)) !== null
}

/** A second export of the name makes esbuild report where the first one is. */
async function placeOfExport(siteDir: string, file: string, name: string): Promise<SourceLocation | null> {
  const source = await readFile(join(siteDir, file), 'utf8')
  const isMdx = file.endsWith('.mdx')
  const probe = `${isMdx ? scriptOfMdx(source) : source}\n;let hydrantProbe; export { hydrantProbe as ${JSON.stringify(name)} }`
  // The extensions of other scripts are names of loaders, after the letter for the kind of the module.
  const loader = isMdx ? 'jsx' : extname(file).replace(/^\.[cm]?/, '')
  try {
    await transform(probe, { loader: loader as Loader, logLevel: 'silent', sourcefile: file })
    return null
  } catch (error) {
    // esbuild rejects with a list of messages only.
    const { errors } = error as { errors: Message[] }
    const note = errors.flatMap(({ notes }) => notes).find(({ location }) => location !== null)
    return note ? readLocation(note) : null
  }
}

/** Finds the `export * from` of a module. */
export async function findStar(siteDir: string, file: string, module: string): Promise<SourceLocation> {
  const source = await readFile(join(siteDir, file), 'utf8')
  const code = file.endsWith('.mdx') ? scriptOfMdx(source) : source
  const name = module.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const match = new RegExp(`\\bexport\\s*(?=\\*\\s*from\\s*['"]${name}['"])`).exec(code)
  return match ? placeAt(file, code, match.index + match[0].length) : fileAt(file)
}
