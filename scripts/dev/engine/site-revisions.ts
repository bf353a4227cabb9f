import { withoutNamespace } from '../../build/bundles/translate-message.ts'
import { type BuildProblem, filesOfProblem } from '../../build-problem.ts'
import type { BrokenPart } from '../errors/dev-failures.ts'
import type { SiteScan } from '../modules/scan-site.ts'
import { filesOf } from './dev-manifest.ts'
import type { PendingModules } from './pending-modules.ts'
import type { SiteStructure } from './read-structure.ts'
import type { SiteSource } from './site-source.ts'

/** A site as its files are at one moment. */
export interface SiteRevision {
  structure: SiteStructure
  scan: SiteScan
}

export interface SiteRevisionsInput {
  source: SiteSource
  pending: PendingModules
  /** Called when the settings of the configuration differ from the last ones. */
  onSettings(): void
}

export function createSiteRevisions({ source, pending, onSettings }: SiteRevisionsInput) {
  let current: SiteRevision | null = null
  let generation = 0

  async function readAll(): Promise<SiteStructure> {
    const { structure, isNew } = await source.read()
    if (isNew) onSettings()
    return structure
  }

  async function scanAll(structure: SiteStructure): Promise<SiteScan> {
    const scan = await source.scan(structure)
    await pending.adopt(scan)
    return { ...scan, problems: withoutFailed(scan.problems) }
  }

  /** Leaves out the problems of modules that an edit is going to compile again. */
  function withoutFailed(problems: readonly BuildProblem[]): BuildProblem[] {
    const failed = new Set(pending.failed().map(([id]) => withoutNamespace(id)))
    return problems.filter((problem) => !filesOfProblem(problem).some((file) => failed.has(file)))
  }

  return {
    /** Returns the last revision; null before the site has been read. */
    current: () => current,
    /**
     * Returns the site after changes, and whether its imports were read again. Throws BuildError for problems that are not
     * in a module of the site.
     *
     * @param paths The changed files, relative to the site.
     * @param ids The modules that consist of these files.
     * @param isStructural Whether files were added or removed, or the configuration has changed.
     */
    async advance(paths: readonly string[], ids: readonly string[], isStructural: boolean) {
      generation++
      pending.forget(ids.filter((id) => !source.exists(id)))
      // A change of any file may fix problems that only the whole site shows.
      const last = isStructural || (current && hasProblems(current)) ? null : current
      const [structure, haveImportsChanged] = await Promise.all([
        last ? source.readChanged(last.structure, paths) : readAll(),
        pending.recompile(ids.filter(source.exists)),
      ])
      const isScanned = last === null || haveImportsChanged
      current = { structure, scan: isScanned ? await scanAll(structure) : last.scan }
      return { ...current, isScanned }
    },
    /** Looks for problems and warnings that only the whole site shows; null if nothing was checked. */
    async check() {
      if (!current || !pending.needCheck()) return null
      const at = generation
      const found = await source.scan(current.structure)
      // A change arrived during the scan. Another check follows it.
      if (at !== generation) return null
      pending.markChecked()
      const { structure, scan } = current
      current = { structure, scan: { ...scan, warnings: found.warnings, problems: withoutFailed(found.problems) } }
      return current
    },
  }
}

function hasProblems({ structure, scan }: SiteRevision): boolean {
  return [structure.nameProblems, structure.exportProblems, scan.problems].some((problems) => problems.length > 0)
}

/** The id of requests that match no page. */
const ROOT = ''

/**
 * Finds the routes that reach each problem: those with a file that has it, or that imports such a file. Every request
 * reaches `server.ts`, and what no module of the site has, such as `tsconfig.json`.
 *
 * @param idsOf Returns the modules that consist of files.
 * @param nameOf Returns the name of a page's module in browsers.
 */
export function findBrokenParts(
  problems: readonly BuildProblem[],
  { structure, scan }: SiteRevision,
  idsOf: (paths: readonly string[]) => string[],
  nameOf: (page: string) => string,
): BrokenPart[] {
  if (problems.length === 0) return []
  const { site, nameProblems } = structure
  const routes = listRoutes(structure)
  const pages = new Set([...site.components, ...site.serverFiles].map(({ file }) => file))
  const graphs = [scan.browser, scan.server]
  // A file may be reached through a symbolic link. Graphs have real paths.
  const realIds = (file: string) => graphs.map((graph) => graph.idOf(file))
  return problems.map((problem) => {
    const found = filesOfProblem(problem)
    const ids = [...idsOf(found), ...found.flatMap(realIds)]
    const reaching = new Set(ids)
    for (const id of reaching)
      for (const graph of graphs) for (const importer of graph.importersOf(id)) reaching.add(importer)
    // The site leaves out a file with a name that cannot be used.
    const isKnown =
      nameProblems.includes(problem) || ids.some((id) => pages.has(id) || graphs.some((one) => one.has(id)))
    const isReaching = (file: string) => reaching.has(file) || realIds(file).some((id) => reaching.has(id))
    const isWhole = !isKnown || (site.serverPlugin !== null && isReaching(site.serverPlugin))
    if (isWhole || (site.config !== null && ids.includes(site.config))) return { problem, routes: null, pages: [] }
    const broken = routes.filter(({ files }) => files.some(isReaching))
    return {
      problem,
      routes: broken.map(({ id }) => id),
      pages: broken.flatMap(({ page }) => (page === null ? [] : [nameOf(page)])),
    }
  })
}

/** Returns the files that each route needs. Only a response with status 404 needs the page for it. */
function listRoutes(structure: SiteStructure): { id: string; page: string | null; files: readonly string[] }[] {
  const { routes, root } = structure.site
  const files = [...filesOf(root, null, structure), ...guardFilesOf(structure)]
  return [
    { id: ROOT, page: null, files },
    ...routes.map((entry) => ({
      id: entry.id,
      page: entry.page,
      files: filesOf({ ...entry, notFounds: [] }, entry.page, structure),
    })),
  ]
}

/** Returns the files whose guards also run for paths without a page. */
export function guardFilesOf({ site, exports }: SiteStructure): string[] {
  const isGuard = ({ file, kind }: (typeof site.serverFiles)[number]) =>
    kind === 'layout' && exports.get(file)?.includes('guard') === true
  return site.serverFiles.filter(isGuard).map(({ file }) => file)
}
