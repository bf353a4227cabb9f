import { type Outcome, readTap, runFile, runProgram } from './run-file.ts'
import { nameSources } from './source-places.ts'
import { findPart } from './together-output.ts'

/** The program that runs the files that its arguments name. */
export const PROGRAM = 'dist/test/run-together.js'

/**
 * Runs test files one after the other in one process. A file that does not pass there runs again in a process of its
 * own, and so do all of them when the process fails. That result counts. The text about the first try precedes its
 * output.
 */
export async function runFiles(
  files: readonly string[],
  report: (file: string, outcome: Outcome, notes: string) => void,
): Promise<void> {
  const [only] = files
  if (files.length === 1 && only !== undefined) return report(only, await runFile(only), '')
  const { tap, output, end, leftBehind } = await runProgram([PROGRAM, ...files], files.length)
  const reason = end || (leftBehind && 'has left a process behind')
  for (const file of files) {
    const part = findPart(tap, file)
    const { passed, failures } = readTap(part?.text ?? '')
    if (!reason && part && passed > 0 && failures.length === 0) {
      report(file, { passed, failures, output: part.text, seconds: part.seconds }, '')
      continue
    }
    const what = reason ? `the process of several files ${reason}` : 'it failed in the process of several files'
    const whole = reason && file === only ? nameSources(output) : nameSources(part?.text ?? '')
    report(file, await runFile(file), `${file} runs alone: ${what}\n${whole}`)
  }
}
