import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import { PACKAGE_FOLDER } from '../util/package-folder.ts'
import { describeEvaluation } from './find-import.ts'
import { findSiteBelow } from './find-site-below.ts'
import { BUILD_FOLDER, BUILD_PATHS, MANIFEST_FORMAT, type Manifest } from './manifest.ts'

/** The version of this package. */
export const VERSION = readVersion()

/** Returns the folder of a site's build. Throws HYD_OPTION_INVALID if `dir` is not a text or is empty. */
export function buildFolder(dir: unknown, buildDir?: string): string {
  if (typeof dir !== 'string' || dir === '') {
    throw createHydrantError('HYD_OPTION_INVALID', ['dir', 'the site’s folder', showValue(dir)])
  }
  return resolve(buildDir ?? join(dir, BUILD_FOLDER))
}

/**
 * Reads the manifest of a build and checks its files. Throws HYD_BUILD_MISSING, HYD_BUILD_INCOMPLETE or
 * HYD_BUILD_VERSION.
 */
export function readManifest(folder: string): Manifest {
  const file = join(folder, BUILD_PATHS.manifest)
  if (!existsSync(file)) throw createMissing(folder)
  let manifest: Manifest
  try {
    // `hydrant build` has written it. The format and the version are checked below.
    manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest
  } catch (cause) {
    throw createHydrantError('HYD_BUILD_INCOMPLETE', [folder, 'manifest.json cannot be parsed'], cause)
  }
  checkVersion(folder, manifest)
  const missing = expectedFiles(manifest).find((path) => !existsSync(join(folder, path)))
  if (missing) throw createHydrantError('HYD_BUILD_INCOMPLETE', [folder, `${missing} is missing`])
  return manifest
}

/** Throws HYD_BUILD_VERSION for a build of another version of this package. */
export function checkVersion(folder: string, manifest: Manifest) {
  if (manifest?.format === MANIFEST_FORMAT && manifest.hydrant === VERSION) return
  throw createHydrantError('HYD_BUILD_VERSION', [folder, String(manifest?.hydrant ?? 'unknown'), VERSION])
}

function createMissing(folder: string) {
  const error = createHydrantError('HYD_BUILD_MISSING', [folder])
  const site = findSiteBelow(dirname(folder))
  if (site !== undefined)
    error.fix = `Pass the folder of the site, which seems to be ${site}/, and build it if it has no build.`
  return error
}

/** Returns the site's configuration from the build. Throws HYD_BUILD_BROKEN or HYD_OPTION_INVALID. */
export async function readConfig(folder: string): Promise<Record<string, unknown>> {
  const module = await importBundle(join(folder, BUILD_PATHS.config), '', 'the configuration')
  const config = module.default
  if (typeof config === 'object' && config !== null) return { ...config }
  throw createHydrantError('HYD_OPTION_INVALID', [
    'hydrant.config.ts',
    'an object as its default export',
    typeof config,
  ])
}

/** Imports one of the build's two modules for Node. `what` names it in the error. Throws HYD_BUILD_BROKEN. */
export async function importBundle(path: string, query: string, what: string): Promise<Record<string, unknown>> {
  try {
    return await import(`${pathToFileURL(path).href}${query}`)
  } catch (cause) {
    await ignoreSecondReport(cause)
    throw createHydrantError('HYD_BUILD_BROKEN', [what, describeEvaluation(path, cause)], cause)
  }
}

/**
 * For a CommonJS package that throws, Node.js also reports a rejection that nothing can handle, after `import()` has
 * rejected. It would end the process before the error is shown.
 */
async function ignoreSecondReport(reported: unknown): Promise<void> {
  function ignore(reason: unknown) {
    // As without this listener.
    if (reason !== reported && process.listenerCount('unhandledRejection') === 1) throw reason
  }
  process.on('unhandledRejection', ignore)
  await new Promise(setImmediate)
  process.off('unhandledRejection', ignore)
}

function expectedFiles(manifest: Manifest): string[] {
  const client = Object.values(manifest.modules).flatMap(({ js, imports, css }) => [js, ...imports, ...css])
  const files = new Set([manifest.entry, ...manifest.entryImports, ...manifest.dataReader, ...client])
  return [BUILD_PATHS.server, BUILD_PATHS.config, ...[...files].map((file) => `${BUILD_PATHS.client}/${file}`)]
}

function readVersion(): string {
  // npm requires a version in package.json.
  return (JSON.parse(readFileSync(join(PACKAGE_FOLDER, 'package.json'), 'utf8')) as { version: string }).version
}
