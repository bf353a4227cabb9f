import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { toSitePath } from '../../../src/server/util/paths.ts'
import { translateFailure } from '../../build/bundles/translate-errors.ts'
import { withoutNamespace } from '../../build/bundles/translate-message.ts'
import { createCssCompiler } from '../../build/esbuild/css.ts'
import { COMPILER_RUNTIME } from '../../build/esbuild/react-compiler.ts'
import type { BuildProblem } from '../../build-problem.ts'
import { createModuleCompiler, type ModuleCompiler } from '../modules/module-compiler.ts'
import { type ObservedPlugins, observePlugins } from '../modules/observe-plugins.ts'
import { bundlePackages } from '../modules/packages/bundle-packages.ts'
import {
  linkFile,
  type PackageBundle,
  type PackageScript,
  packageSettingsKey,
} from '../modules/packages/package-cache.ts'
import { createSiteScanner, NAMESPACES, type SiteScan } from '../modules/scan-site.ts'
import { type ImportedModule, REQUIRED, type SiteGraph } from '../modules/site-graph.ts'
import { createStructureReader, type SiteStructure } from './read-structure.ts'

/** The files of a site, read with the settings of its configuration. */
export type SiteSource = ReturnType<typeof createSiteSource>

export interface SiteSourceInput {
  /** The site's folder, with symbolic links resolved. */
  siteDir: string
  /** The absolute path of the folder that the dev server writes to. */
  folder: string
  /** Returns a text that changes with the variables of the environment. */
  variables(): string
  /** Called before packages are bundled, which can take seconds. */
  onBundle(): void
  /** Called with the site's configuration when it has been read. May throw. */
  onConfig(config: Record<string, unknown>): void
}

export function createSiteSource({ siteDir, folder, variables, onBundle, onConfig }: SiteSourceInput) {
  const reader = createStructureReader(siteDir, folder, variables)
  const scanner = createSiteScanner()
  const cacheDir = join(siteDir, 'node_modules', '.cache', 'hydrant')
  let plugins: ObservedPlugins = observePlugins([], siteDir)
  let cssCompiler = createCssCompiler(siteDir, [])
  let compiler: ModuleCompiler | null = null
  let key = ''
  let settingsKey = ''
  let packages: PackageBundle | null = null
  /** The problems of the packages that cannot be bundled, by specifier. They are left out until they are not imported. */
  const refused = new Map<string, BuildProblem[]>()
  /** Names of packages whose modules are a part of the site. */
  const inlined = new Set<string>()

  async function scan(structure: SiteStructure): Promise<SiteScan> {
    const { site, config } = structure
    const { options: settings, key: configKey } = config
    const found = await scanner.scan({ siteDir, settings, plugins, cssCompiler, site, configKey, inlined })
    const { inlined: needed } = await bundle(structure, found)
    const added = needed.filter((name) => !inlined.has(name))
    for (const name of added) inlined.add(name)
    if (added.length > 0) return await scan(structure)
    const ofPackages = [...refused].flatMap(([specifier, problems]) => {
      const others = listImporters(found.browser, specifier)
      return problems.map((problem) => ({ ...problem, others }))
    })
    return { ...found, problems: [...found.problems, ...ofPackages] }
  }

  async function bundle({ config }: SiteStructure, { browser }: SiteScan): Promise<PackageBundle> {
    const { options: settings, isStrict } = config
    const all = [...browser.packages, ...(settings.compileReact ? [COMPILER_RUNTIME] : [])]
    const isSame = packages?.settingsKey === settingsKey
    for (const name of refused.keys()) if (!isSame || !all.includes(name)) refused.delete(name)
    for (;;) {
      const specifiers = all.filter((name) => !refused.has(name))
      const isBundled = (name: string) => Object.hasOwn(packages?.scripts ?? {}, name)
      if (packages && isSame && specifiers.every(isBundled)) return packages
      try {
        const input = { siteDir, cacheDir, settings, settingsKey, isStrict, specifiers }
        packages = await keepFiles(await bundlePackages(input, onBundle), join(folder, 'packages'))
        return packages
      } catch (error) {
        const problems = await translateFailure(siteDir, error)
        const found = specifiers.map((name) => [name, problems.filter((one) => isInPackage(one, name))] as const)
        const failed = found.filter(([, ofPackage]) => ofPackage.length > 0)
        if (failed.length === 0) throw error
        for (const [name, ofPackage] of failed) refused.set(name, ofPackage)
      }
    }
  }

  return {
    /** Reads the structure. `isNew` is true if the settings differ from the previous ones. Throws BuildError. */
    async read(): Promise<{ structure: SiteStructure; isNew: boolean }> {
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
    /** Reads the exports of changed files again, and copies those of `public/`. */
    readChanged: reader.readChanged,
    /** Finds all modules and their imports. Throws BuildError, see `SiteScanner`. */
    scan,
    /** Returns the packages that the browser's modules import, as the last scan has bundled them. */
    bundle(): PackageBundle {
      if (!packages) throw new Error('The site has not been scanned.')
      return packages
    },
    /** Returns the scripts of the packages by their specifiers; none before they are bundled. */
    packages: (): Readonly<Record<string, PackageScript>> => packages?.scripts ?? {},
    compiler(): ModuleCompiler {
      if (!compiler) throw new Error('The site has not been read.')
      return compiler
    },
    /** Returns the ids of the modules that consist of these files, which are relative to the site, or depend on them. */
    idsOf(paths: readonly string[], viaFolders = true): string[] {
      const files = paths.map((path) => resolve(siteDir, path))
      const dependents = files.flatMap((file) => [
        ...plugins.dependentsOf(file, viaFolders),
        ...cssCompiler.reader.dependentsOf(file),
      ])
      const all = [...paths, ...dependents.map((path) => toSitePath(siteDir, path))]
      return all.flatMap((path) => [path, ...NAMESPACES.map((namespace) => `${namespace}:${path}`)])
    },
    /** Returns whether the file of a module exists. */
    exists: (id: string) => existsSync(resolve(siteDir, withoutNamespace(id))),
    dispose: scanner.dispose,
  }
}

/** Returns whether a problem is in the files of an imported package, or of a package in its folder. */
function isInPackage({ location }: BuildProblem, specifier: string): boolean {
  const [, name = specifier] = /^(?:require:)?((?:@[^/]+\/)?[^/]+)/.exec(specifier) ?? []
  return location?.file.includes(`node_modules/${name}/`) === true
}

function listImporters(graph: SiteGraph, specifier: string): string[] {
  const isImported = (target: ImportedModule) =>
    'package' in target && [target.package, REQUIRED + target.package].includes(specifier)
  return [...graph.ids()].filter((id) => [...graph.importsOf(id).values()].some(isImported)).map(withoutNamespace)
}

/** Links a bundle's files into a folder of this process, as `npm ci` removes the cache. Open pages keep old ones. */
async function keepFiles(bundle: PackageBundle, folder: string): Promise<PackageBundle> {
  await mkdir(folder, { recursive: true })
  await Promise.all(bundle.files.map((name) => linkFile(join(bundle.folder, name), join(folder, name))))
  return { ...bundle, folder }
}
