import { posix } from 'node:path'
import type { ErrorCode } from '../src/server/errors/error-table.ts'
import { createHydrantError } from '../src/server/errors/hydrant-error.ts'

/** A place in the site. Lines and columns count from 1; null when the problem is the file as a whole. */
export interface SourceLocation {
  /** The path, relative to the site's folder, with forward slashes. */
  file: string
  line: number | null
  column: number | null
  lineText: string | null
}

export interface BuildProblem {
  code: ErrorCode
  message: string
  fix: string
  location: SourceLocation | null
  /** More about the reason, in lines. */
  details?: readonly string[]
  /** The specifier of an import that leads to no file. */
  missing?: string
  /** The other files of a conflict, relative to the site. */
  others?: readonly string[]
}

/** The error of a failed build, with every problem that the build found. */
export class BuildError extends Error {
  override readonly name = 'BuildError'
  readonly code = 'HYD_BUILD_FAILED'
  readonly fix: string
  readonly problems: readonly BuildProblem[]

  constructor(problems: readonly BuildProblem[]) {
    const count = problems.length === 1 ? '1 error' : `${problems.length} errors`
    const { message, fix } = createHydrantError('HYD_BUILD_FAILED', [count])
    super(message)
    this.fix = fix
    this.problems = problems
  }
}

export function createProblem(
  code: ErrorCode,
  values: readonly (string | number)[],
  location: SourceLocation | null = null,
): BuildProblem {
  const { message, fix } = createHydrantError(code, values)
  return { code, message, fix, location }
}

/** Creates the problem of a file that is in the place of another one. */
export function createConflict(code: ErrorCode, [other, file, ...more]: [string, string, ...string[]]): BuildProblem {
  return { ...createProblem(code, [other, file, ...more], fileAt(file)), others: [other] }
}

export function filesOfProblem({ location, others = [] }: BuildProblem): string[] {
  return location ? [location.file, ...others] : [...others]
}

/** Returns the files whose change can fix a problem: also the one that an import has not found. */
export function filesToWatch(problem: BuildProblem): string[] {
  const { location, missing } = problem
  const isPath = location !== null && missing?.startsWith('.') === true
  return [...filesOfProblem(problem), ...(isPath ? [posix.join(posix.dirname(location.file), missing)] : [])]
}

/** Returns the place of a problem that concerns a file as a whole, or one of its lines. */
export function fileAt(file: string, line: number | null = null): SourceLocation {
  return { file, line, column: null, lineText: null }
}

/** Returns the place of a character of a file, by its index in the source. */
export function placeAt(file: string, source: string, index: number): SourceLocation {
  const before = source.slice(0, index).split('\n')
  const line = before.length
  return { file, line, column: (before.at(-1) ?? '').length + 1, lineText: lineAt(source, line) }
}

/** Returns a line of a source, counted from 1, without its line break; null if there is none. */
export function lineAt(source: string, line: number): string | null {
  return source.split(/\r?\n/)[line - 1] ?? null
}

/** Formats a place: `pages/a.tsx:3:5`. */
export function formatLocation({ file, line, column }: SourceLocation): string {
  return [file, line, column].filter((part) => part !== null).join(':')
}

/** Sorts problems by place and removes duplicates: both bundles often report the same mistake. */
export function tidyProblems(problems: readonly BuildProblem[]): BuildProblem[] {
  const byKey = new Map(problems.map((problem) => [summarize(problem), problem]))
  return [...byKey.values()].sort(
    (a, b) =>
      compareText(a.location?.file ?? '', b.location?.file ?? '') ||
      (a.location?.line ?? 0) - (b.location?.line ?? 0) ||
      (a.location?.column ?? 0) - (b.location?.column ?? 0),
  )
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function summarize({ code, message, location }: BuildProblem): string {
  return `${code} ${location ? `${formatLocation(location)}: ` : ''}${message}`
}
