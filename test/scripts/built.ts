// What the tests of the build and the command line look at, from one place.

import { join } from 'node:path'

export { applyNames, nameByContent } from '../../scripts/build/content-names.ts'
export { discoverSite } from '../../scripts/build/discover.ts'
export { parseSegment } from '../../scripts/build/segments.ts'
export { buildSite, createSiteBuilder } from '../../scripts/build/site-builder.ts'
export { isAllowedHost, isSameOrigin } from '../../scripts/dev/dev-access.ts'
export { isRelevant } from '../../scripts/dev/watch-site.ts'
export { BuildError } from '../../scripts/problem.ts'
export { formatError } from '../../scripts/terminal/format-error.ts'
export { formatProblem } from '../../scripts/terminal/format-problem.ts'
export { createProgress } from '../../scripts/terminal/progress.ts'
export { loadBuild, readManifest } from '../../src/server/build.ts'
export { errorTable } from '../../src/server/errors.ts'

export const cliPath = join(process.cwd(), 'dist/scripts/cli.js')
