/** Returns the environment of a user's commands: without the variables that npm and the test runner set. */
export function createUserEnv(): NodeJS.ProcessEnv {
  const isOwn = ([name]: [string, string | undefined]) => !/^(npm_|NODE_ENV$|NODE_V8_COVERAGE$|INIT_CWD$)/i.test(name)
  return Object.fromEntries(Object.entries(process.env).filter(isOwn))
}
