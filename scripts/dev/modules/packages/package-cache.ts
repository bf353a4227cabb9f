import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { copyFile, link, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from '#cjs-module-lexer'
import { VERSION } from '../../../../src/server/build-output/read-build.ts'
import { isRunning } from '../../../../src/server/util/is-running.ts'
import { REMOVE } from '../../../../src/server/util/paths.ts'
import { hasCode } from '../../../../src/server/util/unknown-values.ts'
import type { SiteConfig } from '../../../build/bundles/read-config.ts'
import { contentHash } from '../../../build/esbuild/assets.ts'
import { foldersFrom, readPackage } from '../../../build/esbuild/resolve-file.ts'
import { renameWithRetries } from '../../../open-files.ts'

/** What the disk has of a bundle, besides its files. */
interface PackageRecord extends Omit<PackageBundle, 'folder' | 'files'> {
  /** The key of the input that it was made of. */
  inputKey: string
}

type StoredRecord = PackageRecord & Pick<PackageBundle, 'files'> & { hydrant: string }

/** The bundles of a site's packages on the disk. */
export type PackageCache = ReturnType<typeof createPackageCache>

const RECORD = 'bundle.json'
/** A bundle takes tens of megabytes. Branches with other packages find theirs again. */
const MAX_BUNDLES = 5

export function createPackageCache(cacheDir: string) {
  const folderOf = (key: string) => join(cacheDir, key)
  const inputsOf = (inputKey: string) => join(cacheDir, `${inputKey}.json`)
  const newFolderOf = (pid: number | string) => folderOf(`new-${pid}`)
  const readRecord = (key: string) => readJson<StoredRecord>(join(folderOf(key), RECORD))

  /** Lists the bundles, the last used one first. */
  async function list(): Promise<{ key: string; record: StoredRecord }[]> {
    const entries = await readdir(cacheDir, { withFileTypes: true })
    const found = await Promise.all(
      entries.map(async (entry) => {
        const record = entry.isDirectory() ? await readRecord(entry.name) : null
        if (!record) return []
        const { mtimeMs } = await stat(join(folderOf(entry.name), RECORD))
        return [{ key: entry.name, record, mtimeMs }]
      }),
    )
    return found.flat().sort((a, b) => b.mtimeMs - a.mtimeMs)
  }

  async function prune() {
    const bundles = await list()
    const kept = new Set(bundles.slice(0, MAX_BUNDLES).map(({ record }) => record.inputKey))
    for (const { key, record } of bundles.slice(MAX_BUNDLES)) {
      await rm(folderOf(key), REMOVE)
      if (!kept.has(record.inputKey)) await rm(inputsOf(record.inputKey), REMOVE)
    }
  }

  return {
    /** Returns the paths of the files that a bundle of this input was last made of; null if there is none. */
    readInputs: (inputKey: string): Promise<string[] | null> => readJson<string[]>(inputsOf(inputKey)),
    /** Returns a bundle; null if there is none. */
    async read(key: string): Promise<PackageBundle | null> {
      const folder = folderOf(key)
      const record = await readRecord(key)
      if (!record) return null
      const now = new Date()
      await utimes(join(folder, RECORD), now, now)
      return { ...record, folder }
    },
    /** Creates an empty folder for a new bundle, and returns its path. Removes those that ended processes have left. */
    async createFolder() {
      await mkdir(cacheDir, { recursive: true })
      const ids = (await readdir(cacheDir)).flatMap((name) => /^new-(\d+)$/.exec(name)?.[1] ?? [])
      const ended = ids.filter((id) => Number(id) === process.pid || !isRunning(Number(id)))
      for (const id of ended) await rm(newFolderOf(id), REMOVE)
      const folder = newFolderOf(process.pid)
      await mkdir(folder)
      return folder
    },
    /** Returns the folders of the files that the bundles on the disk have, by their names. */
    async listFiles(): Promise<ReadonlyMap<string, string>> {
      const bundles = (await list()).filter(({ record }) => record.hydrant === VERSION)
      return new Map(bundles.flatMap(({ key, record }) => record.files.map((name) => [name, folderOf(key)])))
    },
    /**
     * Keeps a complete bundle, and removes those that were not used for the longest time.
     *
     * @param folder A folder that `createFolder` has created. It is moved.
     * @param inputs The paths of the files that the bundle was made of.
     */
    async keep(folder: string, key: string, record: PackageRecord, inputs: readonly string[]): Promise<PackageBundle> {
      const stored: StoredRecord = { ...record, files: await readdir(folder), hydrant: VERSION }
      await writeFile(join(folder, RECORD), JSON.stringify(stored))
      await place(folder, folderOf(key))
      const list = `${folder}.json`
      await writeFile(list, JSON.stringify(inputs))
      await renameWithRetries(list, inputsOf(record.inputKey))
      await prune()
      return { ...stored, folder: folderOf(key) }
    },
  }
}

/** Moves a complete bundle to its folder, unless another process has just placed the same bundle there. */
async function place(temporary: string, folder: string) {
  const isPlaced = await renameWithRetries(temporary, folder).then(
    () => true,
    () => existsSync(join(folder, RECORD)),
  )
  if (!isPlaced) {
    // The folder is incomplete.
    await rm(folder, REMOVE)
    await renameWithRetries(temporary, folder)
  }
  await rm(temporary, REMOVE)
}

/** Gives a file a second name. */
export async function linkFile(source: string, target: string): Promise<void> {
  // Some file systems have no hard links.
  await link(source, target).catch(async (error) => {
    if (!hasCode(error, 'EEXIST')) await copyFile(source, target)
  })
}

async function readJson<Value>(path: string): Promise<Value | null> {
  try {
    // This module has written the file.
    return JSON.parse(await readFile(path, 'utf8')) as Value
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/**
 * Returns a hash that changes with the settings that packages are bundled with. A plugin may do anything that its
 * configuration says. The paths in `tsconfig.json` also apply to the names of packages.
 */
export function packageSettingsKey(siteDir: string, { options, isStrict, key }: SiteConfig): string {
  const { define, loader, alias, plugins } = options
  const { type } = readPackage(siteDir)
  const pluginsKey = plugins.length > 0 ? key : null
  const tsconfigs = listTsconfigs(siteDir).map((file) => readFileSync(file, 'utf8'))
  return contentHash(JSON.stringify([define, loader, alias, isStrict, pluginsKey, type, tsconfigs]))
}

/** Returns the paths of the files `tsconfig.json` and `tsconfig.*.json` in the site's folder and those above it. */
export function listTsconfigs(siteDir: string): string[] {
  return foldersFrom(siteDir).flatMap((folder) => {
    const names = namesInFolder(folder).filter((name) => /^tsconfig(?:\.[\w.-]+)?\.json$/.test(name))
    return names.sort().map((name) => join(folder, name))
  })
}

function namesInFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // The system may not allow listing a parent folder. Windows says so by EPERM.
    if (hasCode(error, 'EACCES') || hasCode(error, 'EPERM')) return []
    throw error
  }
}

/** The script of a package that modules of the browser import or require. */
export interface PackageScript {
  /** The name of its file. */
  file: string
  /** Whether the package is written as CommonJS. Then the default export of the script is `module.exports`. */
  isCommonJs: boolean
  /** The names that a CommonJS package exports, for `export *`. */
  names: readonly string[]
}

/** The scripts of a site's packages, of React and of Hydrant's client. */
export interface PackageBundle {
  /** The key of the settings that it was made with. */
  settingsKey: string
  /** The name of the script that the document loads first. */
  entry: string
  /** The names of the scripts that the entry imports statically. */
  imports: string[]
  folder: string
  /** The names of the files. They change with the contents. */
  files: string[]
  /**
   * The scripts by the specifiers of the packages. See `SiteGraph.packages`: a script with `require:` before the
   * specifier exports a function that returns what `require` returns.
   */
  scripts: Record<string, PackageScript>
  /** Names of packages that must be a part of the site instead: see `findInlinedPackages`. */
  inlined: string[]
}

export interface CommonJsModules {
  /** Returns the source of a module. */
  read(id: string): Promise<string>
  /** Returns the module that a module requires with a specifier; null if it is none of these modules. */
  find(id: string, specifier: string): string | null
}

/** Lists the names that a CommonJS module exports. As in Node.js, names that its code only computes are missing. */
export async function listCommonJsNames(id: string, { read, find }: CommonJsModules): Promise<string[]> {
  const names = new Set<string>()
  const ids = new Set([id])
  for (const one of ids) {
    const { exports, reexports } = parseNames(await read(one))
    for (const name of exports) names.add(name)
    for (const specifier of reexports) {
      const target = find(one, specifier)
      if (target !== null) ids.add(target)
    }
  }
  return [...names].filter((name) => name !== 'default' && name !== '__esModule')
}

function parseNames(source: string): ReturnType<typeof parse> {
  try {
    return parse(source)
  } catch {
    // JSON, or a module that has been compiled to another form.
    return { exports: [], reexports: [] }
  }
}
