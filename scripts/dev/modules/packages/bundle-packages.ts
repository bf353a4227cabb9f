import { existsSync, statSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { EncodedSourceMap } from '@jridgewell/trace-mapping'
import { version as esbuildVersion } from 'esbuild'
import { VERSION } from '../../../../src/server/build-output/read-build.ts'
import { REMOVE } from '../../../../src/server/util/paths.ts'
import { contentHash } from '../../../build/esbuild/assets.ts'
import { inputPath } from '../../../build/esbuild/bundler.ts'
import { findInlinedPackages } from '../../../build/esbuild/node-specifier.ts'
import { foldersFrom } from '../../../build/esbuild/resolve-file.ts'
import { isOfSiteOrPackage, markThrown } from '../../../build/output/mark-thrown.ts'
import { ALWAYS, compilePackages, type PackageCompilation } from './compile-packages.ts'
import { createPackageCache, linkFile, type PackageBundle, type PackageCache } from './package-cache.ts'

export interface BundleInput extends Omit<PackageCompilation, 'outdir'> {
  /** The folder that bundles are kept in. */
  cacheDir: string
  /** See `packageSettingsKey`. */
  settingsKey: string
}

const LOCKFILES = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'npm-shrinkwrap.json']

/**
 * Bundles packages, or returns the bundle on the disk that was made with the same settings and lockfile, of the same
 * files. `onBuild` is called before packages are bundled, which can take seconds. Rejects with esbuild's BuildFailure.
 */
export async function bundlePackages(input: BundleInput, onBuild: () => void): Promise<PackageBundle> {
  const specifiers = [...new Set(input.specifiers)].filter((name) => !ALWAYS.includes(name)).sort()
  const inputKey = await inputKeyOf(input, specifiers)
  const cache = createPackageCache(input.cacheDir)
  const kept = await readKept(input, cache, inputKey)
  if (kept) return kept
  onBuild()
  return await writeBundle({ ...input, specifiers }, cache, inputKey)
}

/** Returns the bundle on the disk; null if there is none that was made of the current files. */
async function readKept(
  { siteDir }: BundleInput,
  cache: PackageCache,
  inputKey: string,
): Promise<PackageBundle | null> {
  const inputs = await cache.readInputs(inputKey)
  return inputs && (await cache.read(packagesKey(inputKey, siteDir, inputs)))
}

async function writeBundle(input: BundleInput, cache: PackageCache, inputKey: string): Promise<PackageBundle> {
  const { siteDir, settingsKey } = input
  const folder = await cache.createFolder()
  const { metafile, ...compiled } = await compilePackages({ ...input, outdir: folder })
  await markScripts(folder, await cache.listFiles())
  // The others are modules without a file.
  const inputs = Object.keys(metafile.inputs)
    .map(inputPath)
    .filter((path) => existsSync(resolve(siteDir, path)))
  const record = { ...compiled, settingsKey, inputKey, inlined: findInlinedPackages(metafile) }
  return await cache.keep(folder, packagesKey(inputKey, siteDir, inputs), record, inputs)
}

/** Returns the key of a bundle of these files. It changes when one of them is written: developers edit packages too. */
function packagesKey(inputKey: string, siteDir: string, files: readonly string[]): string {
  const versions = files.map((path) => {
    const stats = statSync(resolve(siteDir, path), { throwIfNoEntry: false })
    return [path, stats?.size, stats?.mtimeMs]
  })
  return contentHash(inputKey, JSON.stringify(versions))
}

async function inputKeyOf({ siteDir, settingsKey }: BundleInput, specifiers: readonly string[]): Promise<string> {
  return contentHash(JSON.stringify([VERSION, esbuildVersion, specifiers, settingsKey]), await lockfileOf(siteDir))
}

/** Returns the content of the nearest lockfile; without one, of the site's `package.json`. */
async function lockfileOf(siteDir: string): Promise<string> {
  const paths = foldersFrom(siteDir).flatMap((folder) => LOCKFILES.map((name) => join(folder, name)))
  const file = paths.find(existsSync) ?? join(siteDir, 'package.json')
  return await readFile(file, 'utf8').catch(() => '')
}

/**
 * Marks the values that packages throw, in the scripts of a folder that esbuild has written. The server responds between
 * two scripts.
 *
 * @param marked The folders of the scripts that were marked before, by their names.
 */
async function markScripts(folder: string, marked: ReadonlyMap<string, string>): Promise<void> {
  for (const mapName of await readdir(folder)) {
    if (!mapName.endsWith('.js.map')) continue
    const name = mapName.slice(0, -'.map'.length)
    const source = marked.get(mapName)
    if (source === undefined) await markScript(folder, join(folder, name))
    else for (const one of [name, mapName]) await replaceFile(join(source, one), join(folder, one))
  }
}

async function markScript(folder: string, path: string) {
  const mapPath = `${path}.map`
  const [code, json] = await Promise.all([readFile(path, 'utf8'), readFile(mapPath, 'utf8')])
  // esbuild wrote the map, so its form is known.
  const map = JSON.parse(json) as EncodedSourceMap
  const script = markThrown({ code, map }, (source) => isOfSiteOrPackage(source, folder))
  if (script.map === map) return
  await writeFile(path, script.code)
  await writeFile(mapPath, JSON.stringify(script.map))
}

async function replaceFile(source: string, target: string) {
  await rm(target, REMOVE)
  await linkFile(source, target)
}
