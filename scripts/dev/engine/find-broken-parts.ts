import { type BuildProblem, filesOfProblem } from '../../build-problem.ts'
import type { BrokenPart } from '../errors/dev-failures.ts'
import { filesOf } from './dev-manifest.ts'
import type { SiteStructure } from './read-structure.ts'
import type { SiteRevision } from './site-revisions.ts'

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
