import { randomBytes } from 'node:crypto'
import { realpathSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Manifest } from '../../../src/server/build-output/manifest.ts'
import { type ClientMapper, createClientMapper } from '../../../src/server/failures/stacks/client-source-map.ts'
import { createSourceMapper } from '../../../src/server/failures/stacks/source-map.ts'
import { REMOVE, toSitePath } from '../../../src/server/util/paths.ts'
import type { DevUpdate } from '../../../src/shared/wire/dev-protocol.ts'
import { translateFailure } from '../../build/bundles/translate-errors.ts'
import { withoutNamespace } from '../../build/bundles/translate-message.ts'
import { BuildError, type BuildProblem, filesOfProblem, filesToWatch, tidyProblems } from '../../build-problem.ts'
import type { BrokenPart } from '../errors/dev-failures.ts'
import { type BrowserModules, createBrowserModules } from '../modules/browser/browser-modules.ts'
import { listTsconfigs, type PackageBundle } from '../modules/packages/package-cache.ts'
import { createServerModules, type ServerModules } from '../modules/server/server-modules.ts'
import { resolveLinks } from '../watch/file-versions.ts'
import { createLiveBuild, type DevLiveBuild } from './create-live-build.ts'
import { createDevFolder, createDevManifest, writeManifest } from './dev-manifest.ts'
import { createPendingModules, type PublishedModules } from './pending-modules.ts'
import type { SiteStructure } from './read-structure.ts'
import { createSiteRevisions, findBrokenParts, type SiteRevision } from './site-revisions.ts'
import { createSiteSource, type SiteSourceInput } from './site-source.ts'

/** The effect of changed files. */
export interface DevChange extends Pick<NewState, 'state' | 'isNewServer' | 'isChanged'> {
  /** What open pages do; null if they must load their document again. */
  update: Omit<DevUpdate, 'type'> | null
  /** Whether the site may consist of other files now. */
  isScanned: boolean
  /** The parts of the site that a build would refuse. The other parts can be served. */
  broken: readonly BrokenPart[]
}

export type DevEngine = ReturnType<typeof createDevEngine>

export interface DevEngineInput extends Pick<SiteSourceInput, 'variables' | 'onBundle' | 'onConfig'> {
  dir: string
  /** Returns the path that the site is mounted at. */
  base(): string
  /** Identifies the last change that was sent to open pages. */
  position(): string
}

/** Creates the engine that keeps a site's modules up to date, and finds the effect of each change. */
export function createDevEngine({ dir, base, position, ...hooks }: DevEngineInput) {
  // esbuild reports paths with symbolic links resolved.
  const siteDir = realpathSync(dir)
  const folder = createDevFolder(siteDir)
  const source = createSiteSource({ siteDir, folder, ...hooks })
  const browser = createBrowserModules({ folder, compiler: source.compiler, packages: source.packages, position })
  const server = createServerModules({ siteDir, folder, base, compiler: source.compiler })
  const pending = createPendingModules(browser, server)
  const states = createDevStates({ folder, browser, server })
  /** The files whose change can fix a problem. */
  let brokenFiles: ReadonlySet<string> = new Set()
  const revisions = createSiteRevisions({
    source,
    pending,
    onSettings() {
      browser.clear()
      clear()
    },
  })

  function clear() {
    server.clear()
    states.restart()
  }

  /** Adds the paths that files have without symbolic links, and those of the links that lead to them. */
  function withLinks(paths: readonly string[]): string[] {
    const { browser, server } = revisions.current()?.scan ?? {}
    const real = [...paths, ...paths.map((path) => toSitePath(siteDir, resolveLinks(resolve(siteDir, path))))]
    const links = real.flatMap((path) => [...(browser?.linksTo(path) ?? []), ...(server?.linksTo(path) ?? [])])
    return [...new Set([...real, ...links])]
  }

  async function apply(changed: readonly string[], isStructural: boolean): Promise<DevChange> {
    const paths = withLinks(changed)
    // The ids are read before plugins load files again, because the plugins may then read other files.
    const ids = source.idsOf(paths)
    // After a structural change, the settings may differ.
    const restyled = isStructural ? null : pending.restyle(ids)
    // `advance` may reject first. The changes stay pending then.
    restyled?.catch(() => {})
    const revision = await revisions.advance(paths, ids, isStructural)
    const { structure, isScanned } = revision
    const packages = source.bundle()
    const styles = await (restyled ?? pending.restyle(ids))
    const broken = await findBroken(revision)
    const brokenIds = new Set(source.idsOf(broken.flatMap(({ problem }) => filesOfProblem(problem))))
    const published = pending.publish((id) => brokenIds.has(id))
    const { modules, data, ...effect } = states.next({ ...revision, packages }, published)
    const files = structure.site.publicFiles.filter((file) => paths.includes(`public/${file}`))
    return { ...effect, isScanned, broken, update: modules && { modules, styles, files, data } }
  }

  /** Finds the parts of the site that a build would refuse. Throws BuildError if one of them concerns every request. */
  async function findBroken(revision: SiteRevision): Promise<BrokenPart[]> {
    const { nameProblems, exportProblems } = revision.structure
    const failed = await Promise.all(pending.failed().map(([, error]) => translateFailure(siteDir, error)))
    const problems = tidyProblems([...nameProblems, ...exportProblems, ...revision.scan.problems, ...failed.flat()])
    brokenFiles = new Set(problems.flatMap(filesToWatch))
    const parts = findBrokenParts(problems, revision, source.idsOf, browser.rootName)
    if (parts.some(({ routes }) => routes === null)) throw new BuildError(problems)
    return parts
  }

  function isInput(path: string, viaFolders: boolean): boolean {
    const current = revisions.current()
    if (!current) return false
    const { scan, structure } = current
    const isKnown = (id: string) => scan.browser.has(id) || scan.server.has(id) || browser.isStyled(id)
    const paths = withLinks([path])
    const isConfig = structure.config.inputs.some((input) => paths.includes(input))
    return isConfig || source.idsOf(paths, viaFolders).some(isKnown) || paths.some((one) => brokenFiles.has(one))
  }

  return {
    /** The absolute path of the folder that the engine writes to. */
    folder,
    browser,
    /** Makes the next change create the server again. */
    restart: states.restart,
    /** Makes the next change create the server again, with all of its modules. */
    clear,
    /** Returns whether a file is part of the site. The path is relative to the site. */
    isInput,
    /** Looks for problems that only the whole site shows; null if nothing was checked. Throws as `change`. */
    async check(): Promise<(Pick<DevChange, 'broken'> & { warnings: readonly BuildProblem[] }) | null> {
      const checked = await revisions.check()
      if (!checked) return null
      const warnings = [...checked.structure.warnings, ...checked.scan.warnings]
      return { warnings, broken: await findBroken(checked) }
    },
    /** Returns the last state; null before the first one. */
    state: states.last,
    /** Maps frames of the server's modules to the source. */
    mapper: createSourceMapper(siteDir, server.scripts),
    /** Returns a mapper for frames of the scripts that browsers have asked for. */
    browserMapper: (): ClientMapper => createClientMapper({ siteDir, folder, base: base() }),
    /** Lists the source files of the site and its settings for TypeScript, relative to it. */
    inputs: (): string[] => [
      ...inputsOf(revisions.current()),
      ...listTsconfigs(siteDir).map((file) => toSitePath(siteDir, file)),
    ],
    /**
     * Applies the changes of files. Throws a BuildError for problems that concern every request. Then the last state stays,
     * and the next call applies these changes, too.
     *
     * @param paths Relative to the site.
     * @param isStructural Whether files were added or removed, or the configuration has changed.
     */
    change: (paths: readonly string[], isStructural: boolean): Promise<DevChange> =>
      withBuildErrors(siteDir, apply(paths, isStructural)),
    async dispose() {
      await source.dispose()
      rmSync(folder, REMOVE)
    },
  }
}

/** Rejects with a BuildError where a promise rejects with esbuild's BuildFailure. */
async function withBuildErrors<Result>(siteDir: string, promise: Promise<Result>): Promise<Result> {
  try {
    return await promise
  } catch (error) {
    throw new BuildError(tidyProblems(await translateFailure(siteDir, error)))
  }
}

function inputsOf(revision: SiteRevision | null): string[] {
  if (!revision) return []
  const { scan, structure } = revision
  const files = [...scan.browser.ids(), ...scan.server.ids()].map(withoutNamespace)
  return [...new Set([...files, ...structure.config.inputs])]
}

/** A site in development, at one moment. */
interface DevState {
  manifest: Manifest
  live: DevLiveBuild
  structure: SiteStructure
  packages: PackageBundle
  warnings: readonly BuildProblem[]
}

export interface ServableRevision extends SiteRevision {
  /** Whether the imports were read again. */
  isScanned: boolean
  packages: PackageBundle
}

/** A new state, and what it means for the server and for open pages. */
interface NewState {
  state: DevState
  /** Whether routes, `server.ts` or the configuration have changed. What `server.ts` reaches is run again. */
  isNewServer: boolean
  isChanged: boolean
  /** The modules that open pages import again; null if they have to be loaded again. */
  modules: DevUpdate['modules'] | null
  /** Whether open pages run their loads again. */
  data: boolean
}

export interface DevStatesInput {
  /** The folder that the manifest is written to. */
  folder: string
  browser: BrowserModules
  server: ServerModules
}

function createDevStates({ folder, browser, server }: DevStatesInput) {
  const buildId = randomBytes(8).toString('hex')
  let last: DevState | null = null
  let lastKey = ''
  let isRestart = false
  /** The modules that `server.ts` of the last server reaches. */
  let reached: readonly string[] = []

  return {
    /** Returns the last state; null before the first one. */
    last: () => last,
    /** Makes the next state create the server again. */
    restart() {
      isRestart = true
    },
    next({ structure, scan, packages, isScanned }: ServableRevision, { modules, dirty }: PublishedModules) {
      const before = last
      const isSame = before !== null && !isScanned && before.packages === packages
      const manifest = isSame ? before.manifest : createDevManifest(structure, buildId, packages, browser)
      const key = isSame && structure.exports === before.structure.exports ? lastKey : stateKey(manifest, structure)
      const { serverPlugin } = manifest
      const isNewServer = isRestart || key !== lastKey || (serverPlugin !== null && dirty.has(serverPlugin))
      if (isNewServer) {
        // The `onClose` hooks of the last server close what these modules have opened.
        server.invalidate(reached)
        reached = serverPlugin === null ? [] : server.reach(serverPlugin)
      }
      const live =
        isNewServer || !before ? createLiveBuild({ folder, manifest, structure, modules: server }) : before.live
      live.expire(dirty)
      if (key !== lastKey) writeManifest(folder, manifest)
      const state = { manifest, live, structure, packages, warnings: [...structure.warnings, ...scan.warnings] }
      const isReload = before === null || hasOtherModules(before, state)
      const data = isNewServer || structure.site.serverFiles.some(({ file }) => dirty.has(file))
      last = state
      lastKey = key
      isRestart = false
      return { state, isNewServer, isChanged: dirty.size > 0, modules: isReload ? null : modules, data }
    },
  }
}

/** Returns whether pages of a state have scripts of packages, or settings, that modules of the next one do not have. */
function hasOtherModules(state: DevState, next: DevState): boolean {
  if (state.packages.settingsKey !== next.packages.settingsKey) return true
  const files = new Set(next.packages.files)
  return (
    state.packages.files.some((name) => !files.has(name)) || state.structure.config.key !== next.structure.config.key
  )
}

/** Returns a text that changes when the server has to be created again. */
function stateKey(manifest: Manifest, { exports, config }: SiteStructure): string {
  const lasting = [...exports].map(([file, names]) => [
    file,
    ...['action', 'actions', 'guard'].filter((name) => names.includes(name)),
  ])
  return JSON.stringify([manifest, lasting, config.key])
}
