import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { version as esbuildVersion } from 'esbuild'
import { VERSION } from '../../../../src/server/build-output/read-build.ts'
import { contentHash } from '../../../build/esbuild/content-hash.ts'
import { inputPath } from '../../../build/esbuild/input-path.ts'
import { findInlinedPackages } from '../../../build/esbuild/node-specifier.ts'
import { foldersFrom } from '../../../build/esbuild/site-package.ts'
import { ALWAYS, compilePackages, type PackageCompilation } from './compile-packages.ts'
import { markScripts } from './mark-scripts.ts'
import type { PackageBundle } from './package-bundle.ts'
import { createPackageCache, type PackageCache } from './package-cache.ts'

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
  return inputs && (await cache.read(keyOf(inputKey, siteDir, inputs)))
}

async function writeBundle(input: BundleInput, cache: PackageCache, inputKey: string): Promise<PackageBundle> {
  const { siteDir, settingsKey } = input
  const folder = await cache.createFolder()
  const { metafile, ...compiled } = await compilePackages({ ...input, outdir: folder })
  await markScripts(folder, await cache.listFiles())
  // The others are modules without a file.
  const inputs = Object.keys(metafile.inputs)
    .map(inputPath)
    .filter((path) => existsSync(join(siteDir, path)))
  const record = { ...compiled, settingsKey, inputKey, inlined: findInlinedPackages(metafile) }
  return await cache.keep(folder, keyOf(inputKey, siteDir, inputs), record, inputs)
}

/** Returns the key of a bundle of these files. It changes when one of them is written: developers edit packages too. */
function keyOf(inputKey: string, siteDir: string, files: readonly string[]): string {
  const versions = files.map((path) => {
    const stats = statSync(join(siteDir, path), { throwIfNoEntry: false })
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
