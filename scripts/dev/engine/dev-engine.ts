import { realpathSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ClientMapper, createClientMapper } from '../../../src/server/failures/stacks/client-source-map.ts'
import { createSourceMapper, type ServerMapper } from '../../../src/server/failures/stacks/source-map.ts'
import { toSitePath } from '../../../src/server/util/paths.ts'
import type { DevUpdate } from '../../../src/shared/wire/dev-protocol.ts'
import { translateFailure } from '../../build/bundles/translate-errors.ts'
import { withoutNamespace } from '../../build/bundles/translate-message.ts'
import { BuildError, type BuildProblem, filesOfProblem, filesToWatch, tidyProblems } from '../../build-problem.ts'
import type { BrokenPart } from '../errors/dev-failures.ts'
import { type BrowserModules, createBrowserModules } from '../modules/browser/browser-modules.ts'
import { createServerModules } from '../modules/server/server-modules.ts'
import { resolveLinks } from '../watch/file-versions.ts'
import { createDevFolder } from './dev-manifest.ts'
import { createDevStates, type DevState, type NewState } from './dev-states.ts'
import { createPendingModules } from './pending-modules.ts'
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

export interface DevEngine {
  /** The absolute path of the folder that the engine writes to. */
  folder: string
  browser: BrowserModules
  /** Maps frames of the server's modules to the source. */
  mapper: ServerMapper
  /** Returns a mapper for frames of the scripts that browsers have asked for. */
  browserMapper(): ClientMapper
  /** Returns the last state; null before the first one. */
  state(): DevState | null
  /** Lists the source files of the site, relative to it. */
  inputs(): string[]
  /**
   * Applies the changes of files. Throws a BuildError for problems that concern every request. Then the last state stays,
   * and the next call applies these changes, too.
   *
   * @param paths Relative to the site.
   * @param isStructural Whether files were added or removed, or the configuration has changed.
   */
  change(paths: readonly string[], isStructural: boolean): Promise<DevChange>
  /**
   * Looks for problems and warnings that only the whole site shows, such as an import of a name that no longer exists.
   * Returns null if nothing was checked. Throws as `change`.
   */
  check(): Promise<(Pick<DevChange, 'broken'> & { warnings: readonly BuildProblem[] }) | null>
  /** Makes the next change create the server again. */
  restart(): void
  /** Makes the next change create the server again, with all of its modules. */
  clear(): void
  /** Returns whether a file is part of the site. The path is relative to the site. */
  isInput(path: string): boolean
  dispose(): Promise<void>
}

export interface DevEngineInput extends Pick<SiteSourceInput, 'onBundle' | 'onConfig'> {
  /** The site's folder. */
  dir: string
  /** Returns the path that the site is mounted at. */
  base(): string
  /** Identifies the last change that was sent to open pages. */
  position(): string
}

/** Creates the engine that keeps a site's modules up to date, and finds the effect of each change. */
export function createDevEngine({ dir, base, position, ...hooks }: DevEngineInput): DevEngine {
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
    const parts = findBrokenParts(problems, revision, source.idsOf, browser.rootName)
    if (parts.some(({ routes }) => routes === null)) throw new BuildError(problems)
    brokenFiles = new Set(problems.flatMap(filesToWatch))
    return parts
  }

  function isInput(path: string): boolean {
    const current = revisions.current()
    if (!current) return false
    const { scan, structure } = current
    const isKnown = (id: string) => scan.browser.has(id) || scan.server.has(id) || browser.isStyled(id)
    const paths = withLinks([path])
    const isConfig = structure.config.inputs.some((input) => paths.includes(input))
    return isConfig || source.idsOf(paths).some(isKnown) || paths.some((one) => brokenFiles.has(one))
  }

  return {
    folder,
    browser,
    restart: states.restart,
    clear,
    isInput,
    async check() {
      const checked = await revisions.check()
      if (!checked) return null
      const warnings = [...checked.structure.warnings, ...checked.scan.warnings]
      return { warnings, broken: await findBroken(checked) }
    },
    state: states.last,
    mapper: createSourceMapper(siteDir, server.scripts),
    browserMapper: () => createClientMapper({ siteDir, folder, base: base() }),
    inputs: () => inputsOf(revisions.current()),
    change: (paths, isStructural) => withBuildErrors(siteDir, apply(paths, isStructural)),
    async dispose() {
      await source.dispose()
      rmSync(folder, { recursive: true, force: true })
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
