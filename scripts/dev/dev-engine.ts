import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { BUILD_PATHS, type Manifest } from '../../src/server/build-output/manifest.ts'
import { createSourceMapper, type ServerMapper } from '../../src/server/failures/stacks/source-map.ts'
import { toSitePath } from '../../src/server/util/to-site-path.ts'
import type { DevUpdate } from '../../src/shared/wire/dev-protocol.ts'
import { translateMessage, withoutNamespace } from '../build/bundles/translate-message.ts'
import { createCssModuleCompiler } from '../build/esbuild/css-module.ts'
import { isBuildFailure } from '../build/esbuild/incremental-build.ts'
import { BuildError, type BuildProblem, tidyProblems } from '../build-problem.ts'
import { createLiveBuild, type DevLiveBuild } from './create-live-build.ts'
import { createDevManifest } from './dev-manifest.ts'
import { type BrowserModules, createBrowserModules } from './modules/browser-modules.ts'
import { createModuleCompiler, type ModuleCompiler } from './modules/module-compiler.ts'
import { type ObservedPlugins, observePlugins } from './modules/observe-plugins.ts'
import { bundlePackages, type PackageBundle } from './modules/package-bundle.ts'
import { createSiteScanner, type SiteScan } from './modules/scan-site.ts'
import { createServerModules, type ServerModules } from './modules/server-modules.ts'
import { createStructureReader, type SiteStructure } from './read-structure.ts'

/** A site in development, at one moment. */
export interface DevState {
  manifest: Manifest
  live: DevLiveBuild
  structure: SiteStructure
  packages: PackageBundle
  warnings: readonly BuildProblem[]
}

/** The effect of changed files. */
export interface DevChange {
  state: DevState
  /** What open pages do; null if they must load their document again. */
  update: Omit<DevUpdate, 'type'> | null
  /** Whether the server has to be created again: its routes, `server.ts` or the configuration have changed. */
  isNewServer: boolean
  /** Whether the files of the site may be other ones. */
  isScanned: boolean
}

export interface DevEngine {
  /** The absolute path of the folder that the engine writes to. */
  folder: string
  browser: BrowserModules
  /** Maps frames of the server's modules to the source. */
  mapper: ServerMapper
  /** Lists the source files of the site, relative to it. */
  inputs(): string[]
  /**
   * Applies the changes of files. Throws BuildError, and then keeps the last state; the next call applies these changes
   * too.
   *
   * @param paths Relative to the site.
   * @param isStructural Whether files were added or removed, or the configuration has changed.
   */
  change(paths: readonly string[], isStructural: boolean): Promise<DevChange>
  /** Looks for errors that only the whole site shows, such as an import of a name that no longer exists. */
  check(): Promise<readonly BuildProblem[]>
  /** Makes the next change create the server again, with all of its modules. */
  restart(): void
  /** Returns whether a file is part of the site. The path is relative to the site. */
  isInput(path: string): boolean
  dispose(): Promise<void>
}

export interface DevEngineInput {
  /** The site's folder. */
  dir: string
  /** Name of the folder to write to, in the site's folder. */
  folder: string
  /** Returns the path that the site is mounted at. */
  base(): string
  /** Called before packages are bundled, which can take seconds. */
  onBundle(): void
  /** Identifies the last change that was sent to open pages. */
  position(): string
}

/** Creates the engine that keeps a site's modules up to date, and tells the effect of each change. */
export function createDevEngine({ dir, folder: name, base, onBundle, position }: DevEngineInput): DevEngine {
  // esbuild reports paths with symbolic links resolved.
  const siteDir = realpathSync(dir)
  const folder = resolve(siteDir, name)
  prepareFolder(folder)
  const buildId = randomBytes(8).toString('hex')
  const reader = createStructureReader(siteDir, folder)
  const scanner = createSiteScanner()
  const compileCssModule = createCssModuleCompiler(siteDir)
  const owed = { browser: new Set<string>(), server: new Set<string>() }
  let parts: { compiler: ModuleCompiler; plugins: ObservedPlugins; key: string } | null = null
  let structure: SiteStructure | null = null
  let scan: SiteScan | null = null
  let state: DevState | null = null
  let stateKey = ''
  let isRestart = false
  /** Whether an import may lack its export. */
  let isUnchecked = false
  let generation = 0
  const compiler = () => {
    if (!parts) throw new Error('The site has not been read.')
    return parts.compiler
  }
  const browser = createBrowserModules(folder, compiler, position)
  const server = createServerModules({ siteDir, folder, base, compiler })

  function restart() {
    server.clear()
    isRestart = true
  }

  async function readStructure(): Promise<SiteStructure> {
    const read = await reader.read()
    const { options: settings, key } = read.config
    if (parts?.key !== key) {
      const plugins = observePlugins(settings.plugins)
      parts = { compiler: createModuleCompiler({ siteDir, settings, plugins, compileCssModule }), plugins, key }
      browser.clear()
      restart()
    }
    structure = read
    return read
  }

  async function scanSite({ site, config }: SiteStructure, plugins: ObservedPlugins): Promise<SiteScan> {
    const { options: settings, key: configKey } = config
    const found = await scanner.scan({ siteDir, settings, plugins, compileCssModule, site, configKey })
    if ('problems' in found) throw new BuildError(tidyProblems(found.problems))
    scan = found
    isUnchecked = false
    browser.adopt(found.browser)
    server.adopt(found.server)
    return found
  }

  /** Compiles changed modules again. Returns whether the site has to be scanned. */
  async function recompile(ids: readonly string[]): Promise<boolean> {
    const results = await Promise.all(
      (
        [
          [browser, owed.browser],
          [server, owed.server],
        ] as const
      ).map(async ([modules, changes]) => {
        const { changed, needsScan, needsCheck } = await modules.recompile(ids)
        isUnchecked ||= needsCheck
        // Also when the other side fails: the next change must include these.
        for (const id of changed) changes.add(id)
        return needsScan
      }),
    )
    return results.includes(true)
  }

  /** Returns the ids of the modules that consist of these files. */
  function idsOf(paths: readonly string[]): string[] {
    const dependents = paths.flatMap((path) => parts?.plugins.dependentsOf(resolve(siteDir, path)) ?? [])
    const all = [...paths, ...dependents.map((path) => toSitePath(siteDir, path))]
    return all.flatMap((path) => [path, `hydrant-css-module:${path}`, `hydrant-css:${path}`])
  }

  async function bundle({ config }: SiteStructure, { browser: graph }: SiteScan): Promise<PackageBundle> {
    const specifiers = graph.packages()
    const last = state?.packages
    if (last && last.configKey === config.key && specifiers.every((one) => last.specifiers.includes(one))) return last
    const { options: settings, key: configKey, isStrict } = config
    const cacheDir = join(siteDir, 'node_modules', '.cache', 'hydrant')
    return await bundlePackages({ siteDir, cacheDir, settings, configKey, isStrict, specifiers }, onBundle)
  }

  async function apply(paths: readonly string[], isStructural: boolean): Promise<DevChange> {
    generation++
    const current = isStructural || !structure ? await readStructure() : structure
    const { plugins } = parts ?? { plugins: observePlugins([]) }
    const ids = idsOf(paths)
    const [exports, haveImportsChanged] = await Promise.all([
      isStructural ? current.exports : reader.readChanged(current, paths),
      recompile(ids.filter((id) => existsSync(resolve(siteDir, withoutNamespace(id))))),
    ])
    if (exports !== current.exports) structure = { ...current, exports }
    const next = structure ?? current
    const known = isStructural || haveImportsChanged ? null : scan
    const found = known ?? (await scanSite(next, plugins))
    const isScanned = known === null
    const packages = await bundle(next, found)
    const styles = browser.restyle(ids)
    const replaced = browser.update([...owed.browser])
    const dirty = server.invalidate([...owed.server])
    const last = state
    const isSame = last !== null && !isScanned && last.packages === packages
    const manifest = isSame ? last.manifest : createDevManifest(next, buildId, packages, browser)
    const key = isSame && exports === last.structure.exports ? stateKey : keyOf(manifest, next)
    const { serverPlugin, publicFiles } = manifest
    const isNewServer = isRestart || key !== stateKey || (serverPlugin !== null && dirty.has(serverPlugin))
    // Pages of another configuration have modules that are not known any more.
    const isReload =
      replaced === null || last?.packages.key !== packages.key || last.structure.config.key !== next.config.key
    const live =
      isNewServer || !last ? createLiveBuild({ folder, manifest, structure: next, modules: server }) : last.live
    live.expire(dirty)
    if (key !== stateKey) writeFileSync(join(folder, BUILD_PATHS.manifest), JSON.stringify(manifest))
    state = { manifest, live, structure: next, packages, warnings: isScanned ? found.warnings : [] }
    stateKey = key
    isRestart = false
    owed.browser.clear()
    owed.server.clear()
    const data = isNewServer || next.site.serverFiles.some(({ file }) => dirty.has(file))
    const files = paths.filter((path) => path.startsWith('public/')).map((path) => path.slice('public/'.length))
    const changedFiles = files.filter((file) => publicFiles.includes(file))
    return {
      state,
      isNewServer,
      isScanned,
      update: isReload ? null : { modules: replaced, styles, files: changedFiles, data },
    }
  }

  return {
    folder,
    browser,
    mapper: createSourceMapper(siteDir, server.scripts),
    inputs: () => [...new Set([...(scan?.browser.ids() ?? []), ...(scan?.server.ids() ?? [])].map(withoutNamespace))],
    async change(paths, isStructural) {
      try {
        return await apply(paths, isStructural)
      } catch (error) {
        if (!isBuildFailure(error)) throw error
        throw new BuildError(tidyProblems(error.errors.map(translateMessage)))
      }
    },
    async check() {
      if (!structure || !parts || !isUnchecked) return []
      const { site, config } = structure
      const at = generation
      const found = await scanner.scan({
        siteDir,
        settings: config.options,
        plugins: parts.plugins,
        compileCssModule,
        site,
        configKey: config.key,
      })
      // A change came meanwhile, and another check comes after it.
      if (at !== generation) return []
      isUnchecked = false
      return 'problems' in found ? found.problems : []
    },
    restart,
    isInput(path) {
      const ids = idsOf([path])
      const isKnown = (id: string) => scan?.browser.has(id) || scan?.server.has(id) || browser.isStyled(id)
      return ids.some(isKnown) || structure?.config.inputs.includes(path) === true
    },
    async dispose() {
      await Promise.all([reader.dispose(), scanner.dispose()])
    },
  }
}

/** Returns a text that changes when the server has to be created again. */
function keyOf(manifest: Manifest, { exports, config }: SiteStructure): string {
  const actions = [...exports].filter(([, names]) => names.includes('action')).map(([file]) => file)
  return JSON.stringify([manifest, actions, config.key])
}

/** Empties the folder, except for files of other processes. */
function prepareFolder(folder: string) {
  for (const name of ['server', BUILD_PATHS.clientMaps, BUILD_PATHS.public, BUILD_PATHS.client]) {
    rmSync(join(folder, name), { recursive: true, force: true })
  }
  mkdirSync(join(folder, BUILD_PATHS.client), { recursive: true })
  mkdirSync(join(folder, BUILD_PATHS.clientMaps), { recursive: true })
  mkdirSync(join(folder, 'server'), { recursive: true })
  mkdirSync(join(folder, BUILD_PATHS.public), { recursive: true })
}
