/**
 * The environment without the variables of npm and the test runner: the environment in which a user's commands start.
 */
export function createUserEnv(): NodeJS.ProcessEnv {
  const isOwn = ([name]: [string, string | undefined]) => !/^(npm_|NODE_ENV$|NODE_V8_COVERAGE$|INIT_CWD$)/i.test(name)
  return Object.fromEntries(Object.entries(process.env).filter(isOwn))
}
