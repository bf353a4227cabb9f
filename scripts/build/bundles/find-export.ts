import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { type Loader, type Message, transform } from 'esbuild'
import { fileAt, placeAt, type SourceLocation } from '../../build-problem.ts'
import { scriptOfMdx } from './mdx-exports.ts'
import { readLocation } from './translate-message.ts'

/** Finds the place of an export: a second export of that name makes esbuild report where the first one is. */
export async function findExport(siteDir: string, file: string, name: string): Promise<SourceLocation> {
  const source = await readFile(join(siteDir, file), 'utf8')
  const isMdx = file.endsWith('.mdx')
  const probe = `${isMdx ? scriptOfMdx(source) : source}\n;let hydrantProbe; export { hydrantProbe as ${JSON.stringify(name)} }`
  const loader = isMdx ? 'jsx' : extname(file).slice(1)
  try {
    // The extensions of pages and server files are also names of loaders.
    await transform(probe, { loader: loader as Loader, logLevel: 'silent', sourcefile: file })
  } catch (error) {
    // esbuild rejects with a list of messages only.
    const { errors } = error as { errors: Message[] }
    const note = errors.flatMap(({ notes }) => notes).find(({ location }) => location !== null)
    const location = note && readLocation(note)
    if (location) return location
  }
  return fileAt(file)
}

/** Finds the `export * from` of a module. */
export async function findStar(siteDir: string, file: string, module: string): Promise<SourceLocation> {
  const source = await readFile(join(siteDir, file), 'utf8')
  const code = file.endsWith('.mdx') ? scriptOfMdx(source) : source
  const name = module.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const match = new RegExp(`\\bexport\\s*(?=\\*\\s*from\\s*['"]${name}['"])`).exec(code)
  return match ? placeAt(file, code, match.index + match[0].length) : fileAt(file)
}
