import { randomBytes } from 'node:crypto'
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { BUILD_PATHS, type Manifest } from '../../src/server/build-output/manifest.ts'
import { createSourceMapper, type ServerMapper } from '../../src/server/failures/stacks/source-map.ts'
import type { DevUpdate } from '../../src/shared/wire/dev-protocol.ts'
import { translateMessage, withoutNamespace } from '../build/bundles/translate-message.ts'
import { isBuildFailure } from '../build/esbuild/incremental-build.ts'
import { BuildError, type BuildProblem, tidyProblems } from '../build-problem.ts'
import { createLiveBuild, type DevLiveBuild } from './create-live-build.ts'
import { createDevManifest } from './dev-manifest.ts'
import { type BrowserModules, createBrowserModules } from './modules/browser-modules.ts'
import type { PackageBundle } from './modules/package-bundle.ts'
import type { SiteScan } from './modules/scan-site.ts'
import { createServerModules } from './modules/server-modules.ts'
import { createPendingModules } from './pending-modules.ts'
import type { SiteStructure } from './read-structure.ts'
import { createSiteSource, requireScan, type SiteSourceInput } from './site-source.ts'

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
  /** Whether modules of the server have changed. */
  isChanged: boolean
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

export interface DevEngineInput extends Pick<SiteSourceInput, 'onBundle' | 'onConfig'> {
  /** The site's folder. */
  dir: string
  /** Name of the folder to write to, in the site's folder. */
  folder: string
  /** Returns the path that the site is mounted at. */
  base(): string
  /** Identifies the last change that was sent to open pages. */
  position(): string
}

/** Creates the engine that keeps a site's modules up to date, and tells the effect of each change. */
export function createDevEngine({ dir, folder: name, base, position, ...hooks }: DevEngineInput): DevEngine {
  // esbuild reports paths with symbolic links resolved.
  const siteDir = realpathSync(dir)
  const folder = resolve(siteDir, name)
  prepareFolder(folder)
  const buildId = randomBytes(8).toString('hex')
  const source = createSiteSource({ siteDir, folder, ...hooks })
  const browser = createBrowserModules(folder, source.compiler, position)
  const server = createServerModules({ siteDir, folder, base, compiler: source.compiler })
  const pending = createPendingModules(browser, server)
  let current: { structure: SiteStructure; scan: SiteScan } | null = null
  let state: DevState | null = null
  let stateKey = ''
  let isRestart = false
  let generation = 0

  function restart() {
    server.clear()
    isRestart = true
  }

  async function read(): Promise<SiteStructure> {
    const { structure, isNew } = await source.read()
    if (isNew) {
      browser.clear()
      restart()
    }
    return structure
  }

  async function scan(structure: SiteStructure): Promise<SiteScan> {
    const found = requireScan(await source.scan(structure))
    browser.adopt(found.browser)
    server.adopt(found.server)
    pending.isUnchecked = false
    return found
  }

  /** Returns the site after the changes, and whether its imports were read again. */
  async function advance(paths: readonly string[], ids: readonly string[], isStructural: boolean) {
    const last = isStructural ? null : current
    const [structure, haveImportsChanged] = await Promise.all([
      last ? source.readChanged(last.structure, paths) : read(),
      pending.recompile(ids.filter(source.exists)),
    ])
    const isScanned = last === null || haveImportsChanged
    current = { structure, scan: isScanned ? await scan(structure) : last.scan }
    return { ...current, isScanned }
  }

  /** Makes the changes the current state. Returns what the server and open pages have to do. */
  function publish(structure: SiteStructure, packages: PackageBundle, found: SiteScan, isScanned: boolean) {
    const last = state
    const { modules, dirty } = pending.publish()
    const isSame = last !== null && !isScanned && last.packages === packages
    const manifest = isSame ? last.manifest : createDevManifest(structure, buildId, packages, browser)
    const key = isSame && structure.exports === last.structure.exports ? stateKey : keyOf(manifest, structure)
    const { serverPlugin } = manifest
    const isNewServer = isRestart || key !== stateKey || (serverPlugin !== null && dirty.has(serverPlugin))
    const live = isNewServer || !last ? createLiveBuild({ folder, manifest, structure, modules: server }) : last.live
    live.expire(dirty)
    if (key !== stateKey) writeFileSync(join(folder, BUILD_PATHS.manifest), JSON.stringify(manifest))
    // Pages of another configuration have modules that are not known any more.
    const isOther = last?.packages.key !== packages.key || last.structure.config.key !== structure.config.key
    const warnings = [...structure.warnings, ...found.warnings]
    const next = { manifest, live, structure, packages, warnings }
    const data = isNewServer || structure.site.serverFiles.some(({ file }) => dirty.has(file))
    state = next
    stateKey = key
    isRestart = false
    return { state: next, isNewServer, isChanged: dirty.size > 0, modules: isOther ? null : modules, data }
  }

  async function apply(paths: readonly string[], isStructural: boolean): Promise<DevChange> {
    generation++
    const ids = source.idsOf(paths)
    const { structure, scan: found, isScanned } = await advance(paths, ids, isStructural)
    const packages = await source.bundle(structure, found, state?.packages)
    const styles = await browser.restyle(ids)
    const { modules, data, ...rest } = publish(structure, packages, found, isScanned)
    const files = paths.filter((path) => path.startsWith('public/')).map((path) => path.slice('public/'.length))
    const known = files.filter((file) => structure.site.publicFiles.includes(file))
    return { ...rest, isScanned, update: modules && { modules, styles, files: known, data } }
  }

  async function check(): Promise<readonly BuildProblem[]> {
    if (!current || !pending.isUnchecked) return []
    const at = generation
    const found = await source.scan(current.structure)
    // A change came meanwhile, and another check comes after it.
    if (at !== generation) return []
    pending.isUnchecked = false
    return 'problems' in found ? found.problems : []
  }

  function isInput(path: string): boolean {
    if (!current) return false
    const { scan: found, structure } = current
    const isKnown = (id: string) => found.browser.has(id) || found.server.has(id) || browser.isStyled(id)
    return source.idsOf([path]).some(isKnown) || structure.config.inputs.includes(path)
  }

  return {
    folder,
    browser,
    check,
    restart,
    isInput,
    mapper: createSourceMapper(siteDir, server.scripts),
    inputs: () => (current ? inputsOf(current.scan) : []),
    dispose: source.dispose,
    async change(paths, isStructural) {
      try {
        return await apply(paths, isStructural)
      } catch (error) {
        if (!isBuildFailure(error)) throw error
        throw new BuildError(tidyProblems(error.errors.map(translateMessage)))
      }
    },
  }
}

function inputsOf({ browser, server }: SiteScan): string[] {
  return [...new Set([...browser.ids(), ...server.ids()].map(withoutNamespace))]
}

/** Returns a text that changes when the server has to be created again. */
function keyOf(manifest: Manifest, { exports, config }: SiteStructure): string {
  const lasting = [...exports].flatMap(([file, names]) =>
    ['action', 'guard'].filter((name) => names.includes(name)).map((name) => `${file} ${name}`),
  )
  return JSON.stringify([manifest, lasting, config.key])
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
