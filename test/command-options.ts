/**
 * The options of Node.js for commands of `hydrant` that tests start: those of the test. The commands load the bundle of
 * the published package, which starts in three quarters of the processor time of its modules. The coverage is that of the modules.
 */
export const COMMAND_OPTIONS: readonly string[] = [
  ...process.execArgv,
  ...(process.env.NODE_V8_COVERAGE === undefined ? ['--conditions=hydrant-bundle'] : []),
]
