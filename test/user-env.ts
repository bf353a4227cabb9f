/** The variables that npm and the test runner set. The option `cafile` is the user's, see `npm-certificates.ts`. */
const OF_RUN = /^(npm_(?!config_cafile$)|NODE_ENV$|NODE_V8_COVERAGE$|INIT_CWD$)/i

/** Returns the environment of a user's commands: without the variables that npm and the test runner set. */
export function createUserEnv(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_RUN.test(name)))
}
