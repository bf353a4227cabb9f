import { join } from 'node:path'

/** The compiled command line. */
export const cliPath = join(process.cwd(), 'dist/scripts/cli.js')
