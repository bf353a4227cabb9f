import { createHydrantError, type HydrantError } from '../../../src/server/errors/hydrant-error.ts'
import { closestMatch } from '../../../src/server/util/closest-match.ts'
import type { BuildProblem, SourceLocation } from '../../build-problem.ts'
import { HYDRANT_EXPORTS, REACT_EXPORTS } from '../esbuild/hydrant-exports.ts'
import { foreignFix } from './foreign-names.ts'

/** Describes the import of a name that a package does not export. */
export function createNameProblem(
  module: string,
  name: string,
  known: readonly string[],
  location: SourceLocation | null,
): BuildProblem {
  const { message, fix } = createNameError(module, name, known)
  return { code: 'HYD_BUILD_IMPORT_NAME', message, fix, location }
}

/** Creates the error of an import of a name that a package does not export. */
export function createNameError(module: string, name: string, known: readonly string[]): HydrantError {
  const fix = foreignFix(module, name)
  const hint = hintAtOther(module, name) || (fix === undefined ? hintAtSimilar(name, known) : '')
  const error = createHydrantError('HYD_BUILD_IMPORT_NAME', [module, name, hint])
  return fix === undefined ? error : Object.assign(error, { fix })
}

/** Returns the part of the message that names the other module of Hydrant if it has the export. */
function hintAtOther(module: string, name: string): string {
  const other = module === 'hydrant' ? 'hydrant/react' : 'hydrant'
  const ofOther = module === 'hydrant' ? REACT_EXPORTS : module === 'hydrant/react' ? HYDRANT_EXPORTS : []
  return ofOther.includes(name) ? `; import it from "${other}"` : ''
}

/** Returns the part of the message that names the export that was probably meant; an empty string for none. */
function hintAtSimilar(name: string, known: readonly string[]): string {
  const closest = closestMatch(name, known)
  return closest ? `; did you mean "${closest}"?` : ''
}
