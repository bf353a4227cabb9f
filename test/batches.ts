import { readFileSync } from 'node:fs'
import { importsOf, isSlow } from './test-files.ts'

/** The files of one process. Longer lists save little more, and a failure repeats one list. */
const LONGEST = 20
/** Slow files save a smaller part, and others should run while they wait. */
const LONGEST_OF_SLOW = 6

/**
 * Code that changes or measures the process: a file with it, or with it in a module of the tests that it imports, has a
 * process of its own. A file can also ask for one by the first words here.
 */
const CHANGES_PROCESS = [
  /\/\/ Needs a process of its own/,
  /process\.(?:on|once|emit|chdir|exit|umask|setuid|memoryUsage|cpuUsage|resourceUsage)\(|process\.exitCode/,
  /^import .* from 'node:cluster'|setFlagsFromString|Error\.(?:stackTraceLimit|prepareStackTrace)/m,
]

/** Says whether a compiled test leaves a process as it was, so that others can run in it too. */
export function mayShareProcess(file: string): boolean {
  return importsOf(file).every((path) => {
    const code = readFileSync(path, 'utf8')
    return !CHANGES_PROCESS.some((pattern) => pattern.test(code))
  })
}

/**
 * Divides files into lists for one process each. A list has the place of its first file in the order. The last lists are
 * short, so that all processes end at about the same time.
 *
 * @param jobs The number of lists that run at the same time.
 * @param kindOf Files of different kinds are in different lists.
 */
export function makeBatches(files: readonly string[], jobs: number, kindOf: (file: string) => string): string[][] {
  const half = Math.ceil(files.length / jobs / 2)
  const batches: string[][] = []
  const open = new Map<string, { batch: string[]; longest: number }>()
  for (const [index, file] of files.entries()) {
    const kind = mayShareProcess(file) ? `${isSlow(file)} ${kindOf(file)}` : file
    let list = open.get(kind)
    if (list === undefined) {
      const share = Math.ceil((files.length - index) / jobs)
      list = { batch: [], longest: Math.min(half, share, isSlow(file) ? LONGEST_OF_SLOW : LONGEST) }
      batches.push(list.batch)
      open.set(kind, list)
    }
    list.batch.push(file)
    if (list.batch.length >= list.longest) open.delete(kind)
  }
  return batches
}
