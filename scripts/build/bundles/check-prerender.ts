import { serverFileKeys } from '../../../src/server/build-output/manifest.ts'
import { type BuildProblem, createProblem } from '../../build-problem.ts'
import type { DiscoveredSite } from '../discover/discover-site.ts'
import { findExport } from './find-export.ts'

/** The exports of a page's server file that a prerendered page cannot have, with their descriptions. */
const NEEDS_SERVER = new Map([
  ['guard', 'a guard'],
  ['action', 'an action'],
  ['search', 'a schema for the query'],
  ['cache', 'the export "cache"'],
  ['loadVisitor', 'a part for each visitor'],
])

/**
 * Finds pages that export `prerender` and need a server for each visitor.
 *
 * @param reported Names of exports that another check reports.
 */
export async function checkPrerender(
  siteDir: string,
  { routes }: DiscoveredSite,
  found: ReadonlyMap<string, readonly string[]>,
  reported: readonly string[],
): Promise<BuildProblem[]> {
  const serverOf = (file: string) => serverFileKeys(file).find((key) => found.has(key))
  const exportsOf = (file: string | undefined) =>
    file === undefined ? [] : (found.get(file) ?? []).filter((name) => !reported.includes(name))
  const problems = routes.flatMap(({ page, layouts }) => {
    const server = serverOf(page)
    const files = [page, server].filter((file) => exportsOf(file).includes('prerender'))
    const [file] = files
    if (file === undefined) return []
    const reasons = [
      ...(files.length > 1 ? [`${page} and ${server} export "prerender"; one of them is enough`] : []),
      ...exportsOf(server).flatMap((name) =>
        NEEDS_SERVER.has(name) ? [`${server} has ${NEEDS_SERVER.get(name)}`] : [],
      ),
      ...layouts.flatMap((layout) => {
        const around = serverOf(layout)
        return exportsOf(around).includes('guard') ? [`${around} has a guard for all pages below it`] : []
      }),
    ]
    return reasons.map((reason) => ({ page, file, reason }))
  })
  return Promise.all(
    problems.map(async ({ page, file, reason }) =>
      createProblem('HYD_PRERENDER_SERVER', [page, reason], await findExport(siteDir, file, 'prerender')),
    ),
  )
}
