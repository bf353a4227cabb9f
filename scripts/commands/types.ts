import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { ROUTE_TYPES_FILE } from '../../src/server/build-output/manifest.ts'
import { discoverSite } from '../build/discover/discover-site.ts'
import { readSite } from '../build/discover/read-site.ts'
import { writeRouteTypes } from '../build/discover/route-types.ts'
import { BuildError, tidyProblems } from '../build-problem.ts'
import type { CommandInput } from './command-input.ts'
import { printProblems } from './format-report.ts'

/** Writes hydrant-env.d.ts. Pages with a wrong name are left out, printed, and thrown as a BuildError. */
export async function runTypes({ dir, terminal: { stdout, stderr } }: CommandInput): Promise<void> {
  const siteDir = realpathSync(dir)
  const read = await readSite(siteDir)
  const { site, problems } = discoverSite(read.files)
  const isWritten = await writeRouteTypes(siteDir, site)
  const found = tidyProblems([...read.problems, ...problems])
  printProblems(found, stderr)
  if (found.length > 0) throw new BuildError(found)
  const count = site.routes.length === 1 ? '1 page' : `${site.routes.length} pages`
  stdout.write(
    isWritten
      ? `wrote the types of ${count} to ${join(dir, ROUTE_TYPES_FILE)}\n`
      : 'wrote no types: the site has no files in TypeScript\n',
  )
}
