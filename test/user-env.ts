/** The environment without the variables that npm and the test runner have set: what a user's commands start with. */
export function createUserEnv(): NodeJS.ProcessEnv {
  const isOwn = ([name]: [string, string | undefined]) => !/^(npm_|NODE_ENV$|NODE_V8_COVERAGE$|INIT_CWD$)/i.test(name)
  return Object.fromEntries(Object.entries(process.env).filter(isOwn))
}
