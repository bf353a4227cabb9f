import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { toSitePath } from '../../../src/server/util/to-site-path.ts'
import { withoutNamespace } from '../../build/bundles/translate-message.ts'
import { createCssCompiler } from '../../build/esbuild/css.ts'
import { CSS_NAMESPACES } from '../../build/esbuild/css-namespaces.ts'
import { IMAGE_NAMESPACE } from '../../build/esbuild/image-modules.ts'
import { COMPILER_RUNTIME } from '../../build/esbuild/react-compiler.ts'
import { SVG_NAMESPACE } from '../../build/esbuild/svg-component.ts'
import { BuildError, type BuildProblem, tidyProblems } from '../../build-problem.ts'
import { createModuleCompiler, type ModuleCompiler } from '../modules/module-compiler.ts'
import { type ObservedPlugins, observePlugins } from '../modules/observe-plugins.ts'
import { bundlePackages } from '../modules/packages/bundle-packages.ts'
import type { PackageBundle, PackageScript } from '../modules/packages/package-bundle.ts'
import { linkFile } from '../modules/packages/package-cache.ts'
import { packageSettingsKey } from '../modules/packages/package-settings-key.ts'
import { createSiteScanner, type SiteScan } from '../modules/scan-site.ts'
import { createStructureReader, type SiteStructure } from './read-structure.ts'

/** The files of a site, read with the settings of its configuration. */
export interface SiteSource {
  /** Reads the structure. `isNew` is true if the settings differ from the previous ones. Throws BuildError. */
  read(): Promise<{ structure: SiteStructure; isNew: boolean }>
  /** Reads the exports of changed files again, and copies those of `public/`. Throws BuildError. */
  readChanged(structure: SiteStructure, paths: readonly string[]): Promise<SiteStructure>
  /** Finds all modules and their imports. Returns the problems that a build would find. */
  scan(structure: SiteStructure): Promise<SiteScan | { problems: BuildProblem[] }>
  /** Bundles the packages that the browser's modules import; returns the last bundle if it has them all. */
  bundle(structure: SiteStructure, scan: SiteScan): Promise<PackageBundle>
  /** Returns the scripts of the packages by their specifiers; none before they are bundled. */
  packages(): Readonly<Record<string, PackageScript>>
  compiler(): ModuleCompiler
  /** Returns the ids of the modules that consist of these files, which are relative to the site. */
  idsOf(paths: readonly string[]): string[]
  /** Returns whether the file of a module exists. */
  exists(id: string): boolean
  dispose(): Promise<void>
}

export interface SiteSourceInput {
  /** The site's folder, with symbolic links resolved. */
  siteDir: string
  /** The absolute path of the folder that the dev server writes to. */
  folder: string
  /** Called before packages are bundled, which can take seconds. */
  onBundle(): void
  /** Called with the site's configuration when it has been read. May throw. */
  onConfig(config: Record<string, unknown>): void
}

/** The namespaces of the modules that plugins of the build make of files. */
const NAMESPACES = [...Object.values(CSS_NAMESPACES), SVG_NAMESPACE, IMAGE_NAMESPACE]

export function createSiteSource({ siteDir, folder, onBundle, onConfig }: SiteSourceInput): SiteSource {
  const reader = createStructureReader(siteDir, folder)
  const scanner = createSiteScanner()
  const cacheDir = join(siteDir, 'node_modules', '.cache', 'hydrant')
  let plugins: ObservedPlugins = observePlugins([], siteDir)
  let cssCompiler = createCssCompiler(siteDir, [])
  let compiler: ModuleCompiler | null = null
  let key = ''
  let settingsKey = ''
  let packages: PackageBundle | null = null
  /** Names of packages whose modules are a part of the site. */
  const inlined = new Set<string>()

  async function scan(structure: SiteStructure): Promise<SiteScan | { problems: BuildProblem[] }> {
    const { site, config } = structure
    const { options: settings, key: configKey } = config
    const found = await scanner.scan({ siteDir, settings, plugins, cssCompiler, site, configKey, inlined })
    if ('problems' in found) return found
    const { inlined: needed } = await bundle(structure, found)
    const added = needed.filter((name) => !inlined.has(name))
    for (const name of added) inlined.add(name)
    return added.length > 0 ? await scan(structure) : found
  }

  async function bundle({ config }: SiteStructure, { browser }: SiteScan): Promise<PackageBundle> {
    const { options: settings, isStrict } = config
    const specifiers = [...browser.packages, ...(settings.compileReact ? [COMPILER_RUNTIME] : [])]
    const isComplete =
      packages?.settingsKey === settingsKey && specifiers.every((one) => Object.hasOwn(packages?.scripts ?? {}, one))
    if (!packages || !isComplete)
      packages = await keepFiles(
        await bundlePackages({ siteDir, cacheDir, settings, settingsKey, isStrict, specifiers }, onBundle),
        join(folder, 'packages'),
      )
    return packages
  }

  return {
    async read() {
      const structure = await reader.read()
      const { config, options: settings, key: configKey } = structure.config
      onConfig(config)
      settingsKey = packageSettingsKey(siteDir, structure.config)
      // A tsconfig.json also changes what scripts become.
      const nextKey = configKey + settingsKey
      if (nextKey === key) return { structure, isNew: false }
      key = nextKey
      plugins = observePlugins(settings.plugins, siteDir)
      cssCompiler = createCssCompiler(siteDir, settings.stylesheets)
      compiler = createModuleCompiler({ siteDir, settings, plugins, cssCompiler })
      return { structure, isNew: true }
    },
    readChanged: reader.readChanged,
    scan,
    bundle,
    packages: () => packages?.scripts ?? {},
    compiler() {
      if (!compiler) throw new Error('The site has not been read.')
      return compiler
    },
    idsOf(paths) {
      const files = paths.map((path) => resolve(siteDir, path))
      const dependents = files.flatMap((file) => [
        ...plugins.dependentsOf(file),
        ...cssCompiler.reader.dependentsOf(file),
      ])
      const all = [...paths, ...dependents.map((path) => toSitePath(siteDir, path))]
      return all.flatMap((path) => [path, ...NAMESPACES.map((namespace) => `${namespace}:${path}`)])
    },
    exists: (id) => existsSync(resolve(siteDir, withoutNamespace(id))),
    dispose: scanner.dispose,
  }
}

/**
 * Links the files of a bundle into a folder of this process: `npm ci` removes `node_modules`, and the cache with it. Open
 * pages may import the files of an earlier bundle.
 */
async function keepFiles(bundle: PackageBundle, folder: string): Promise<PackageBundle> {
  await mkdir(folder, { recursive: true })
  await Promise.all(bundle.files.map((name) => linkFile(join(bundle.folder, name), join(folder, name))))
  return { ...bundle, folder }
}

/** Returns the result of a scan. Throws BuildError if it found problems. */
export function requireScan(found: SiteScan | { problems: BuildProblem[] }): SiteScan {
  if ('problems' in found) throw new BuildError(tidyProblems(found.problems))
  return found
}
