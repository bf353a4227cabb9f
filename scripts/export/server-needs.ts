import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serverFileKeys } from '../../src/server/build-output/manifest.ts'
import type { CheckedSite } from '../build/build-site.ts'
import { findExport } from '../build/bundles/find-export.ts'
import { type BuildProblem, createProblem, fileAt, type SourceLocation } from '../build-problem.ts'

/** The exports of server files that run for each request, or read the query. */
export const SERVER_EXPORTS: readonly string[] = ['guard', 'action', 'form', 'search', 'loadVisitor']

/** Finds the parts of a site that need a server: HYD_EXPORT_NEEDS_SERVER and HYD_EXPORT_NOT_PRERENDERED. */
export async function findServerNeeds({ siteDir, site, exports, config }: CheckedSite): Promise<BuildProblem[]> {
  const problems: BuildProblem[] = []
  const needs = (part: string, location: SourceLocation) =>
    problems.push(createProblem('HYD_EXPORT_NEEDS_SERVER', [part], location))
  if (site.serverPlugin !== null) {
    needs(`the hooks and routes of ${site.serverPlugin}`, await findExport(siteDir, site.serverPlugin, 'default'))
  }
  if (site.config !== null && Array.isArray(config.hosts) && config.hosts.length > 0) {
    needs('the option "hosts"', await findOption(siteDir, site.config, 'hosts'))
  }
  for (const { file } of site.serverFiles) {
    for (const name of exports.get(file) ?? []) {
      if (SERVER_EXPORTS.includes(name)) needs(`the export "${name}"`, await findExport(siteDir, file, name))
    }
  }
  const serverFiles = new Set(site.serverFiles.map(({ file }) => file))
  for (const { id, page } of site.routes) {
    const files = [page, ...serverFileKeys(page).filter((key) => serverFiles.has(key))]
    const names = files.map((file) => exports.get(file))
    // A file with a syntax error has no known exports. The bundles report the error.
    if (names.some((known) => known === undefined || known.includes('prerender'))) continue
    const location = await findExport(siteDir, page, 'default')
    problems.push(createProblem('HYD_EXPORT_NOT_PRERENDERED', [id], location))
  }
  return problems
}

/** Finds the line of the configuration that sets an option. It may also be set in a module that the file imports. */
async function findOption(siteDir: string, file: string, name: string): Promise<SourceLocation> {
  const lines = (await readFile(join(siteDir, file), 'utf8')).split('\n')
  const index = lines.findIndex((line) =>
    new RegExp(`^\\s*(?:export default .*)?["']?\\b${name}["']?\\s*[:,]`).test(line),
  )
  return fileAt(file, index === -1 ? null : index + 1)
}
