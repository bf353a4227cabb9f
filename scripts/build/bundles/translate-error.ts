import type { Message } from 'esbuild'
import { type BuildProblem, createProblem, type SourceLocation } from '../../build-problem.ts'
import { isBuildFailure } from '../esbuild/incremental-build.ts'
import { isExported } from './find-export.ts'
import { readMissingName, translateMessage } from './translate-message.ts'
import { explainWrongCase } from './wrong-case.ts'

/**
 * Translates an error of esbuild into an error of Hydrant's table. It also suggests the other form of an import: by
 * name, if the module has no default export, or the default export, if the module has no such name. It names the file
 * if only the case of its name is wrong.
 */
export async function translateError(siteDir: string, message: Message): Promise<BuildProblem> {
  const wrongCase = await explainWrongCase(siteDir, message)
  if (wrongCase) return wrongCase
  const problem = translateMessage(message)
  const missing = readMissingName(message)
  if (!missing || missing.meant !== undefined || !problem.location) return problem
  const { module, name } = missing
  const other = name === 'default' ? importedAs(problem.location) : 'default'
  if (other === undefined || !(await isExported(siteDir, module, other))) return problem
  const statement = name === 'default' ? `import { ${other} }` : `import ${name}`
  return createProblem('HYD_BUILD_IMPORT_NAME', [module, name, `; did you mean "${statement}"?`], problem.location)
}

/** Returns the problems of esbuild's BuildFailure. Throws every other error. */
export async function translateFailure(siteDir: string, error: unknown): Promise<BuildProblem[]> {
  if (!isBuildFailure(error)) throw error
  return await Promise.all(error.errors.map((message) => translateError(siteDir, message)))
}

/** Returns the name that a module gives to the default export of another one. */
function importedAs({ lineText, column }: SourceLocation): string | undefined {
  const name = /^[\w$]+/.exec(lineText?.slice((column ?? 1) - 1) ?? '')?.[0]
  return name === 'default' ? undefined : name
}
