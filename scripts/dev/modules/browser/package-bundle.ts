import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { build, version as esbuildVersion } from 'esbuild'
import { VERSION } from '../../../../src/server/build-output/read-build.ts'
import { assetExtensions, bundleLoaders, shared } from '../../../build/bundles/bundle-options.ts'
import type { EsbuildSettings } from '../../../build/bundles/esbuild-options.ts'
import type { SiteConfig } from '../../../build/bundles/read-config.ts'
import { createAssets } from '../../../build/esbuild/assets.ts'
import { contentHash } from '../../../build/esbuild/content-hash.ts'
import { HYDRANT_FILES, hydrantPath } from '../../../build/esbuild/hydrant-files.ts'
import { createHydrantModules, importOf } from '../../../build/esbuild/hydrant-modules.ts'
import { findStyledPackages } from '../../../build/esbuild/styled-packages.ts'
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
  /** The packages that the bundle contains, by their specifiers. */
  specifiers: string[]
  /** Names of packages that must be a part of the site instead, because their scripts import stylesheets. */
  styled: string[]
}

export interface PackageBundleInput {
  siteDir: string
  /** The folder that bundles are kept in. */
  cacheDir: string
  settings: EsbuildSettings
  /** Changes with the settings that concern packages: see `packageSettingsKey`. */
  settingsKey: string
  specifiers: readonly string[]
  /** Whether React checks components in strict mode. */
  isStrict: boolean
}

/** Packages that every page needs. */
const ALWAYS = ['hydrant/react', 'react', 'react-dom', 'react-dom/client', 'react/jsx-runtime']
const LOCKFILES = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'npm-shrinkwrap.json']
const RECORD = 'bundle.json'
const FORMATS = '__HYDRANT_PACKAGE_FORMATS__'

/**
 * Bundles packages, or returns the bundle on the disk that was made for the same lockfile. `onBuild` is called before
 * packages are bundled, which can take seconds. Rejects with esbuild's BuildFailure.
 */
export async function bundlePackages(input: PackageBundleInput, onBuild: () => void): Promise<PackageBundle> {
  const specifiers = [...new Set([...ALWAYS, ...input.specifiers])].sort()
  const key = await keyOf(input, specifiers)
  const folder = join(input.cacheDir, key)
  const kept = await readFile(join(folder, RECORD), 'utf8').catch(() => null)
  if (kept !== null) return { ...(JSON.parse(kept) as Omit<PackageBundle, 'folder'>), folder }
  onBuild()
  return await writeBundle(input, key, specifiers, folder)
}

async function writeBundle(
  { siteDir, settings, settingsKey, isStrict }: PackageBundleInput,
  key: string,
  specifiers: readonly string[],
  folder: string,
): Promise<PackageBundle> {
  const modules = specifiers.map((name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(name)})`)
  // The preamble must run before React is evaluated.
  const contents =
    `${importOf(HYDRANT_FILES.devPreamble)}${importOf(HYDRANT_FILES.clientEntry)}` +
    `__hydrant_dev__.addPackages({ ${modules.join(', ')} }, ${FORMATS}, ${isModulePackage(siteDir)})\n`
  const assets = createAssets('browser', assetExtensions(settings))
  const result = await build({
    ...shared({ siteDir, options: settings }),
    stdin: { contents, resolveDir: siteDir, sourcefile: 'packages.js', loader: 'js' },
    entryNames: 'packages-[hash]',
    chunkNames: 'chunk-[hash]',
    assetNames: '[name]-[hash]',
    outdir: folder,
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
    plugins: [...settings.plugins, createHydrantModules(siteDir), assets.plugin],
  })
  const formats = Object.fromEntries(
    (result.metafile.inputs['packages.js']?.imports ?? []).map(({ path, original = path }) => [
      original,
      result.metafile.inputs[path]?.format ?? 'cjs',
    ]),
  )
  const temporary = `${folder}-${process.pid}`
  await rm(temporary, { recursive: true, force: true })
  await mkdir(temporary, { recursive: true })
  for (const [name, contents] of markFiles(result.outputFiles, folder)) {
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
  return { ...bundle, folder }
}

/** Moves a complete bundle to its folder, unless another process has placed the same bundle there meanwhile. */
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
 * Returns a text that changes with the settings that packages are bundled with. A plugin may do anything that its
 * configuration says.
 */
export function packageSettingsKey({ options, isStrict, key }: SiteConfig): string {
  const { define, loader, alias, plugins } = options
  return JSON.stringify([define, loader, alias, isStrict, plugins.length > 0 ? key : null])
}

async function keyOf({ siteDir, settingsKey }: PackageBundleInput, specifiers: readonly string[]): Promise<string> {
  return contentHash(
    JSON.stringify([VERSION, esbuildVersion, lastChange(), specifiers, settingsKey]),
    await lockfileOf(siteDir),
  )
}

/** Returns when Hydrant's own client was changed last: it may be linked from a clone of its repository. */
function lastChange(): number {
  const src = dirname(dirname(hydrantPath(HYDRANT_FILES.clientEntry)))
  const files = ['client', 'shared'].flatMap((name) =>
    readdirSync(join(src, name), { recursive: true, encoding: 'utf8' }).map((file) => join(src, name, file)),
  )
  return Math.max(...files.map((file) => statSync(file).mtimeMs))
}

/** Returns the content of the nearest lockfile; without one, of the `package.json` files. */
async function lockfileOf(siteDir: string): Promise<string> {
  for (let folder = siteDir; ; folder = dirname(folder)) {
    const name = LOCKFILES.find((file) => existsSync(join(folder, file)))
    if (name !== undefined) return await readFile(join(folder, name), 'utf8')
    if (dirname(folder) === folder) return await readFile(join(siteDir, 'package.json'), 'utf8').catch(() => '')
  }
}

/** Whether the site's files are ES modules for Node.js, which decides the default export of CommonJS packages. */
function isModulePackage(siteDir: string): boolean {
  for (let folder = siteDir; ; folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { type?: unknown }).type === 'module'
    if (dirname(folder) === folder) return false
  }
}
