import { existsSync } from 'node:fs'

/** `node --test --watch` sets this variable for the processes of tests. They report the files to watch. */
const VARIABLE = 'WATCH_REPORT_DEPENDENCIES'

/**
 * Makes `node --test --watch` run the test again after a change of one of these files. It no longer does so for
 * modules that are imported after this call. Otherwise Node.js would watch the site's build instead of the sources,
 * and would stop each run that builds.
 */
export function watchFiles(files: readonly string[]): void {
  if (!process.env[VARIABLE]) return
  // Node.js ignores the rest of the list after a file that does not exist.
  process.send?.({ 'watch:require': files.filter((file) => existsSync(file)) })
  delete process.env[VARIABLE]
}
