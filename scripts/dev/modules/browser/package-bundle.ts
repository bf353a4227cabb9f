import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { build, version as esbuildVersion, type Plugin } from 'esbuild'
import { VERSION } from '../../../../src/server/build-output/read-build.ts'
import { hasCode } from '../../../../src/server/util/has-code.ts'
import { assetExtensions, bundleLoaders, shared } from '../../../build/bundles/bundle-options.ts'
import type { EsbuildSettings } from '../../../build/bundles/esbuild-options.ts'
import type { SiteConfig } from '../../../build/bundles/read-config.ts'
import { createAssets } from '../../../build/esbuild/assets.ts'
import { contentHash } from '../../../build/esbuild/content-hash.ts'
import { HYDRANT_FILES } from '../../../build/esbuild/hydrant-files.ts'
import { createHydrantModules, importOf } from '../../../build/esbuild/hydrant-modules.ts'
import { foldersFrom, readPackage } from '../../../build/esbuild/site-package.ts'
import { findStyledPackages } from '../../../build/esbuild/styled-packages.ts'
import { REQUIRED } from '../site-graph.ts'
import { markFiles } from './mark-files.ts'

/** The packages of a site, React and Hydrant's client, bundled for the browser. */
export interface PackageBundle {
  /** Changes with the content. */
  key: string
  /** The key of the settings that it was made with. */
  settingsKey: string
  /** The name of the script that the document loads first. */
  entry: string
  /** The names of the scripts that the entry imports statically. */
  imports: string[]
  /** The folder with the files. */
  folder: string
  /** The packages that the bundle contains, by their specifiers. See `SiteGraph.packages`. */
  specifiers: string[]
  /** Names of packages that must be a part of the site instead, because their scripts import stylesheets. */
  styled: string[]
}

export interface PackageBundleInput {
  siteDir: string
  /** The folder that bundles are kept in. */
  cacheDir: string
  settings: EsbuildSettings
  /** See `packageSettingsKey`. */
  settingsKey: string
  specifiers: readonly string[]
  /** Whether React checks components in strict mode. */
  isStrict: boolean
}

/** Packages that every page needs. */
const ALWAYS = ['hydrant/react', 'react', 'react-dom', 'react-dom/client', 'react/jsx-runtime']
const LOCKFILES = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'npm-shrinkwrap.json']
const RECORD = 'bundle.json'
/** Before the specifier of a package in the list, if modules import it. */
const IMPORT = 'import:'
/** The module that requires all packages. */
const LIST = 'packages.js'
const FORMATS = '__HYDRANT_PACKAGE_FORMATS__'

/**
 * Bundles packages, or returns the bundle on the disk that was made with the same settings and lockfile, of the same
 * files. `onBuild` is called before packages are bundled, which can take seconds. Rejects with esbuild's BuildFailure.
 */
export async function bundlePackages(input: PackageBundleInput, onBuild: () => void): Promise<PackageBundle> {
  const specifiers = [...new Set([...ALWAYS, ...input.specifiers])].sort()
  const inputKey = await inputKeyOf(input, specifiers)
  const kept = await readKept(input, inputKey)
  if (kept) return kept
  onBuild()
  return await writeBundle(input, inputKey, specifiers)
}

/** Returns the bundle on the disk; null if there is none that was made of the current files. */
async function readKept({ siteDir, cacheDir }: PackageBundleInput, inputKey: string): Promise<PackageBundle | null> {
  try {
    // `writeBundle` has written both files.
    const files = JSON.parse(await readFile(join(cacheDir, `${inputKey}.json`), 'utf8')) as string[]
    const folder = join(cacheDir, keyOf(inputKey, siteDir, files))
    const bundle = JSON.parse(await readFile(join(folder, RECORD), 'utf8')) as Omit<PackageBundle, 'folder'>
    return { ...bundle, folder }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/** Returns the key of a bundle of these files. It changes when one of them is written: developers edit packages too. */
function keyOf(inputKey: string, siteDir: string, files: readonly string[]): string {
  const versions = files.map((path) => {
    const stats = statSync(join(siteDir, path), { throwIfNoEntry: false })
    return [path, stats?.size, stats?.mtimeMs]
  })
  return contentHash(inputKey, JSON.stringify(versions))
}

async function writeBundle(
  { siteDir, cacheDir, settings, settingsKey, isStrict }: PackageBundleInput,
  inputKey: string,
  specifiers: readonly string[],
): Promise<PackageBundle> {
  const modules = specifiers.map((name) => {
    const required = name.startsWith(REQUIRED) ? name.slice(REQUIRED.length) : IMPORT + name
    return `${JSON.stringify(name)}: () => require(${JSON.stringify(required)})`
  })
  // The preamble must run before React is evaluated.
  const contents =
    `${importOf(HYDRANT_FILES.devPreamble)}${importOf(HYDRANT_FILES.clientEntry)}` +
    `__hydrant_dev__.addPackages({ ${modules.join(', ')} }, ${FORMATS}, ${readPackage(siteDir).type === 'module'})\n`
  const assets = createAssets('browser', assetExtensions(settings))
  const outdir = join(cacheDir, inputKey)
  const result = await build({
    ...shared({ siteDir, options: settings }),
    stdin: { contents, resolveDir: siteDir, sourcefile: LIST, loader: 'js' },
    entryNames: 'packages-[hash]',
    chunkNames: 'chunk-[hash]',
    assetNames: '[name]-[hash]',
    outdir,
    platform: 'browser',
    target: 'es2022',
    splitting: true,
    sourcemap: 'linked',
    metafile: true,
    write: false,
    define: {
      ...settings.define,
      'process.env.NODE_ENV': '"development"',
      HYDRANT_BROWSER: 'true',
      HYDRANT_DEV: 'true',
      HYDRANT_STRICT: String(isStrict),
    },
    loader: { '.css': 'empty', ...bundleLoaders(settings) },
    plugins: [createImportConditions(), ...settings.plugins, createHydrantModules(siteDir), assets.plugin],
  })
  const formats = Object.fromEntries(
    (result.metafile.inputs[LIST]?.imports ?? []).map(({ path, original = path }) => [
      original.startsWith(IMPORT) ? original.slice(IMPORT.length) : REQUIRED + original,
      result.metafile.inputs[path]?.format ?? 'cjs',
    ]),
  )
  // The others are modules without a file.
  const files = Object.keys(result.metafile.inputs).filter((path) => existsSync(join(siteDir, path)))
  const key = keyOf(inputKey, siteDir, files)
  const folder = join(cacheDir, key)
  const temporary = `${folder}-${process.pid}`
  await rm(temporary, { recursive: true, force: true })
  await mkdir(temporary, { recursive: true })
  for (const [name, contents] of markFiles(result.outputFiles, outdir)) {
    const isScript = typeof contents === 'string' && name.endsWith('.js')
    const completed = isScript ? contents.replace(FORMATS, JSON.stringify(formats)) : contents
    await writeFile(join(temporary, name), completed)
  }
  for (const [name, bytes] of assets.files) await writeFile(join(temporary, name), bytes)
  const outputs = Object.entries(result.metafile.outputs)
  const [entry] = outputs.find(([path]) => /packages-[^/]*\.js$/.test(path)) ?? ['']
  const imports = staticImports(result.metafile.outputs, entry)
  const styled = findStyledPackages(result.metafile)
  const bundle = { key, settingsKey, specifiers: [...specifiers], entry: posix.basename(entry), imports, styled }
  await writeFile(join(temporary, RECORD), JSON.stringify(bundle))
  await place(temporary, folder)
  const list = `${temporary}.json`
  await writeFile(list, JSON.stringify(files))
  await rename(list, join(cacheDir, `${inputKey}.json`))
  return { ...bundle, folder }
}

/**
 * Resolves packages as `import` does. The list requires all packages, so that each is evaluated when it is first used,
 * and `require` can lead to another file of a package.
 */
function createImportConditions(): Plugin {
  return {
    name: 'hydrant-import-conditions',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${IMPORT}`) }, ({ path, importer, namespace, resolveDir }) =>
        build.resolve(path.slice(IMPORT.length), { kind: 'import-statement', importer, namespace, resolveDir }),
      )
    },
  }
}

/** Moves a complete bundle to its folder, unless another process has just placed the same bundle there. */
async function place(temporary: string, folder: string) {
  const isPlaced = await rename(temporary, folder).then(
    () => true,
    () => existsSync(join(folder, RECORD)),
  )
  if (!isPlaced) {
    // The folder is incomplete.
    await rm(folder, { recursive: true, force: true })
    await rename(temporary, folder)
  }
  await rm(temporary, { recursive: true, force: true })
}

function staticImports(
  outputs: Record<string, { imports: { path: string; kind: string; external?: boolean }[] }>,
  entry: string,
): string[] {
  const found = new Set([entry])
  for (const path of found) {
    for (const one of outputs[path]?.imports ?? []) {
      if (one.kind === 'import-statement' && !one.external) found.add(one.path)
    }
  }
  found.delete(entry)
  return [...found].map((path) => posix.basename(path))
}

/**
 * Returns a hash that changes with the settings that packages are bundled with. A plugin may do anything that its
 * configuration says. The paths in `tsconfig.json` also apply to the names of packages.
 */
export function packageSettingsKey(siteDir: string, { options, isStrict, key }: SiteConfig): string {
  const { define, loader, alias, plugins } = options
  const { type } = readPackage(siteDir)
  const pluginsKey = plugins.length > 0 ? key : null
  return contentHash(JSON.stringify([define, loader, alias, isStrict, pluginsKey, type, tsconfigsOf(siteDir)]))
}

async function inputKeyOf(
  { siteDir, settingsKey }: PackageBundleInput,
  specifiers: readonly string[],
): Promise<string> {
  return contentHash(JSON.stringify([VERSION, esbuildVersion, specifiers, settingsKey]), await lockfileOf(siteDir))
}

/** Returns the contents of the files `tsconfig.json` and `tsconfig.*.json` in the site's folder and those above it. */
function tsconfigsOf(siteDir: string): string[] {
  return foldersFrom(siteDir).flatMap((folder) => {
    const names = namesInFolder(folder).filter((name) => /^tsconfig(?:\.[\w.-]+)?\.json$/.test(name))
    return names.sort().map((name) => readFileSync(join(folder, name), 'utf8'))
  })
}

function namesInFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // The system may not allow listing a parent folder.
    if (hasCode(error, 'EACCES')) return []
    throw error
  }
}

/** Returns the content of the nearest lockfile; without one, of the site's `package.json`. */
async function lockfileOf(siteDir: string): Promise<string> {
  const paths = foldersFrom(siteDir).flatMap((folder) => LOCKFILES.map((name) => join(folder, name)))
  const file = paths.find(existsSync) ?? join(siteDir, 'package.json')
  return await readFile(file, 'utf8').catch(() => '')
}
