import { createHydrantError, type ErrorCode } from '../src/server/errors/error-table.ts'

/** A place in the site. Lines and columns count from 1; null where only the file is to blame. */
export interface SourceLocation {
  /** Relative to the site's folder, with forward slashes. */
  file: string
  line: number | null
  column: number | null
  lineText: string | null
}

/** One thing that is wrong with the site. */
export interface BuildProblem {
  code: ErrorCode
  message: string
  fix: string
  place: SourceLocation | null
}

/** Everything that is wrong with the site: a build looks for all of it before it gives up. */
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
  place: SourceLocation | null = null,
): BuildProblem {
  const { message, fix } = createHydrantError(code, values)
  return { code, message, fix, place }
}

/** The place of a problem that lies in a file's name or in what it lacks. */
export function fileAt(file: string, line: number | null = null): SourceLocation {
  return { file, line, column: null, lineText: null }
}

/** `pages/a.tsx:3:5` */
export function formatPlace({ file, line, column }: SourceLocation): string {
  return [file, line, column].filter((part) => part !== null).join(':')
}

/** Sorted by place, each once: two bundles often find the same mistake. */
export function tidyProblems(problems: readonly BuildProblem[]): BuildProblem[] {
  const byKey = new Map(problems.map((problem) => [summarise(problem), problem]))
  return [...byKey.values()].sort(
    (a, b) =>
      compareText(a.place?.file ?? '', b.place?.file ?? '') ||
      (a.place?.line ?? 0) - (b.place?.line ?? 0) ||
      (a.place?.column ?? 0) - (b.place?.column ?? 0),
  )
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function summarise({ code, message, place }: BuildProblem): string {
  return `${code} ${place ? `${formatPlace(place)}: ` : ''}${message}`
}
