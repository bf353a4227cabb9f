import { existsSync } from 'node:fs'

/** Node.js sets this variable for the processes that `node --test --watch` starts, and watches the files that they name. */
const VARIABLE = 'WATCH_REPORT_DEPENDENCIES'

/**
 * Makes `node --test --watch` run the test again after a change of one of these files, and of no module that is imported
 * from now on. Without it, Node.js would watch the site's build instead of its sources, and stop each run that builds.
 */
export function watchFiles(files: readonly string[]): void {
  if (!process.env[VARIABLE]) return
  // Node.js ignores the rest of the list after a file that does not exist.
  process.send?.({ 'watch:require': files.filter((file) => existsSync(file)) })
  delete process.env[VARIABLE]
}
