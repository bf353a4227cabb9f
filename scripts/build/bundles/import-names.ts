import { closestMatch } from '../../../src/server/util/closest-match.ts'
import { type BuildProblem, createProblem, type SourceLocation } from '../../build-problem.ts'
import { HYDRANT_EXPORTS, REACT_EXPORTS } from '../esbuild/hydrant-exports.ts'

/** Describes the import of a name that a package does not export. */
export function createNameProblem(
  module: string,
  name: string,
  known: readonly string[],
  location: SourceLocation | null,
): BuildProblem {
  return createProblem('HYD_BUILD_IMPORT_NAME', [module, name, hintAtExport(module, name, known)], location)
}

/** Returns the part of the message that names the export that was probably meant; an empty string for none. */
export function hintAtExport(module: string, name: string, known: readonly string[]): string {
  const other = module === 'hydrant' ? 'hydrant/react' : 'hydrant'
  const ofOther = module === 'hydrant' ? REACT_EXPORTS : module === 'hydrant/react' ? HYDRANT_EXPORTS : []
  if (ofOther.includes(name)) return `; import it from "${other}"`
  const closest = closestMatch(name, known)
  return closest ? `; did you mean "${closest}"?` : ''
}
