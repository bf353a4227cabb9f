import { createUserEnv } from './user-env.ts'

const START = new URL('./fast-start.js', import.meta.url).href
/** Programs that find this repository as the package load its bundle, as they do in the published package. */
const BUNDLE = process.env.NODE_V8_COVERAGE === undefined ? ' --conditions=hydrant-bundle' : ''

/** Variables that make each program of Node.js cheaper, and change nothing else. */
export const FAST = { NODE_OPTIONS: `--import=${START}${BUNDLE}` }

/** Returns the environment of a user's commands, with these variables. */
export function createFastEnv(): NodeJS.ProcessEnv {
  return { ...createUserEnv(), ...FAST }
}
