import { createHydrantError, type HydrantError } from '../errors/hydrant-error.ts'

/**
 * Creates HYD_OPTION_INVALID.
 *
 * @param source Where the value comes from: a flag, an environment variable, or the name of the option.
 * @param shown The value, as the message shows it.
 */
export function createInvalidOption(source: string, expected: string, shown: string): HydrantError {
  const error = createHydrantError('HYD_OPTION_INVALID', [source, expected, shown])
  if (source.startsWith('--')) error.fix = `Correct the value of ${source}.`
  else if (/^[A-Z_]+$/.test(source))
    error.fix = `Correct the variable ${source} in the environment or in the .env files.`
  return error
}
