import { join, resolve } from 'node:path'

/** The folder of the repository. */
export const ROOT = resolve(import.meta.dirname, '../..')
/** The command line of Hydrant. */
export const CLI = join(ROOT, 'dist/scripts/cli.js')
