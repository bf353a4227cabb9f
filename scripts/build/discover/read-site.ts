import { type Dirent, realpath as resolveLinks } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { WELL_KNOWN } from '../../../src/server/build-output/manifest.ts'
import { findSiteBelow } from '../../../src/server/build-output/read-build.ts'
import { isInside } from '../../../src/server/util/paths.ts'
import { type BuildProblem, compareText, createProblem, fileAt } from '../../build-problem.ts'
import { FOREIGN_FOLDERS, type ForeignFile, findForeignFiles } from './other-frameworks.ts'

/** The file names of a site, with forward slashes, sorted. */
export interface SiteFiles {
  /** Names of the files directly in the site's folder. */
  root: string[]
  /** Names of the folders directly in the site's folder (unknown). */
  folders?: string[]
  /** The name of a folder that has a folder pages/, if the site has none. */
  siteBelow?: string | undefined
  /** Paths of the files in pages/, relative to it; null when there is no such folder. */
  pages: string[] | null
  /** The files that another framework reads (none). */
  foreign?: ForeignFile[]
  /** Paths of the files in public/, relative to it, without dot files other than those in `.well-known/`. */
  publicFiles: string[]
}

export async function readSite(dir: string): Promise<{ files: SiteFiles; problems: BuildProblem[] }> {
  const problems: BuildProblem[] = []
  const entries = await readdir(dir, { withFileTypes: true })
  const missing = await listMissing(dir, entries)
  for (const name of missing) if (SITE_ENTRY.test(name)) refuseLink(name, MISSING, problems)
  const hasFolder = async (name: string) =>
    entries.some((entry) => entry.name === name) && (await stat(join(dir, name)).catch(() => null))?.isDirectory()
  const pages = (await hasFolder('pages')) ? await listPages(join(dir, 'pages'), problems) : null
  const publicFiles = (await hasFolder('public')) ? await listPublic(join(dir, 'public'), problems) : []
  return {
    files: {
      root: entries.filter((entry) => !entry.isDirectory() && !missing.includes(entry.name)).map(({ name }) => name),
      folders: entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name),
      siteBelow: pages === null ? findSiteBelow(dir) : undefined,
      pages: pages?.sort(compareText) ?? null,
      foreign: await findForeignFiles(dir, pages ?? [], await listForeignFolders(dir)),
      publicFiles: publicFiles.sort(compareText),
    },
    problems,
  }
}

/** Returns the names of the symbolic links whose targets are missing. */
async function listMissing(dir: string, entries: readonly Dirent[]): Promise<string[]> {
  const links = entries.filter((entry) => entry.isSymbolicLink())
  const targets = await Promise.all(links.map(({ name }) => stat(join(dir, name)).catch(() => null)))
  return links.filter((_, index) => targets[index] === null).map(({ name }) => name)
}

/** Lists the files directly in the folders in which other frameworks have files. */
async function listForeignFolders(dir: string): Promise<string[]> {
  const lists = await Promise.all(
    FOREIGN_FOLDERS.map(async (folder) => {
      const names = await readdir(join(dir, folder)).catch(() => [])
      return names.map((name) => (folder === '' ? name : `${folder}/${name}`))
    }),
  )
  return lists.flat()
}

/** Unlike that of `node:fs/promises`, it does not ask Windows, which cannot answer for the drives of some drivers. */
const realpath = promisify(resolveLinks)

/** The entries of the site's folder that Hydrant reads. */
const SITE_ENTRY = /^(?:pages|public|server\.\w+|hydrant\.config\.\w+)$/
const MISSING = 'whose target is missing'

function refuseLink(path: string, reason: string, problems: BuildProblem[]) {
  problems.push(createProblem('HYD_BUILD_LINK', [path, reason], fileAt(path)))
}

// Emacs locks a file by a link that leads nowhere, with a dot at the beginning of its name.
async function listPages(folder: string, problems: BuildProblem[]): Promise<string[]> {
  return await listFiles(folder, {
    accept: () => true,
    onBroken(path, reason) {
      if (!/(?:^|\/)\./.test(path)) refuseLink(`pages/${path}`, reason, problems)
    },
  })
}

// Everyone can request the files in public/, so a symbolic link must not add files from other places of the machine.
async function listPublic(folder: string, problems: BuildProblem[]): Promise<string[]> {
  const inside = await realpath(folder)
  return await listFiles(folder, {
    async accept(path, entry) {
      if (entry.name.startsWith('.') && path !== WELL_KNOWN) return false
      if (!entry.isSymbolicLink()) return true
      const target = await realpath(join(folder, path)).catch(() => null)
      if (target !== null && isInside(inside, target)) return true
      problems.push(createProblem('HYD_BUILD_PUBLIC_LINK', [`public/${path}`], fileAt(`public/${path}`)))
      return false
    },
  })
}

interface Listing {
  accept(path: string, entry: Dirent): boolean | Promise<boolean>
  /** Called with a symbolic link that is left out, and the reason. */
  onBroken?(path: string, reason: string): void
}

async function listFiles(
  folder: string,
  listing: Listing,
  below = '',
  parents: readonly string[] = [],
): Promise<string[]> {
  const here = await realpath(join(folder, below))
  // A symbolic link to one of its parent folders would never end.
  if (parents.includes(here)) {
    listing.onBroken?.(below, 'to a folder that contains it')
    return []
  }
  const entries = await readdir(here, { withFileTypes: true })
  const lists = await Promise.all(
    entries.map(async (entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (!(await listing.accept(path, entry))) return []
      const kind = entry.isSymbolicLink() ? await stat(join(folder, path)).catch(() => null) : entry
      if (kind === null) listing.onBroken?.(path, MISSING)
      if (kind?.isDirectory()) return await listFiles(folder, listing, path, [...parents, here])
      return kind?.isFile() ? [path] : []
    }),
  )
  return lists.flat()
}
