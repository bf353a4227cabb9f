import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildProblem, fileAt, type SourceLocation } from '../../build-problem.ts'

/** Gives a problem in the script that was compiled from an `.mdx` file its place in that file. */
export async function placeInMdx(siteDir: string, problem: BuildProblem): Promise<BuildProblem> {
  const { location } = problem
  if (!location?.file.endsWith('.mdx') || location.line === null) return problem
  return { ...problem, location: await findSource(siteDir, location) }
}

/** Returns the first line with the string or the name at a place of the script; the file as a whole without one. */
async function findSource(siteDir: string, { file, column, lineText }: SourceLocation): Promise<SourceLocation> {
  const [token] = /^(?:"[^"]*"|'[^']*'|[\w$]+)/.exec(lineText?.slice((column ?? 1) - 1) ?? '') ?? []
  if (token === undefined) return fileAt(file)
  const lines = (await readFile(join(siteDir, file), 'utf8')).split('\n')
  const index = lines.findIndex((line) => line.includes(token))
  const found = lines[index]
  return found === undefined
    ? fileAt(file)
    : { file, line: index + 1, column: found.indexOf(token) + 1, lineText: found }
}
