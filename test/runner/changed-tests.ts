import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { reachedBy } from './import-graph.ts'

/** The tests that reach changed files, and the changed files that no test reaches by imports. */
export interface ChangedTests {
  tests: string[]
  unreached: string[]
}

/** Lists the files that differ from a commit, with those that git does not know yet. */
export function listChanges(commit: string): string[] {
  const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' }).split('\n').filter(Boolean)
  return [...git('diff', '--name-only', commit), ...git('ls-files', '--others', '--exclude-standard')]
}

/** Finds the tests of changed sources among compiled tests. */
export function findChanged(changes: readonly string[], tests: readonly string[]): ChangedTests {
  const reached = tests.map((test) => ({ test, files: reachedBy(test) }))
  const compiled = (source: string) =>
    /^test\/apps\/[\w-]+(?=\/)/.exec(source)?.[0] ?? `dist/${source.replace(/\.tsx?$/, '.js')}`
  const isReached = (source: string) => reached.some(({ files }) => files.has(compiled(source)))
  const wanted = changes.map(compiled)
  return {
    tests: reached.filter(({ files }) => wanted.some((file) => files.has(file))).map(({ test }) => test),
    unreached: changes.filter((source) => existsSync(source) && !isReached(source)),
  }
}
