// Test files that share a process.

import t from 'tap'
import { type Outcome, readTap, runProgram } from '../run-file.ts'
import { PROGRAM, runFiles } from '../run-files.ts'
import { findPart } from '../together-output.ts'

const [LEAVES, PASSES, FAILS, EXITS, LATE, WAITS] = ['leaves', 'passes', 'fails', 'exits', 'late', 'waits'].map(
  (name) => `dist/test/runner/${name}.js`,
) as [string, string, string, string, string, string]

async function run(...files: string[]) {
  const reports: (Outcome & { file: string; notes: string })[] = []
  await runFiles(files, (file, outcome, notes) => reports.push({ file, notes, ...outcome }))
  return reports
}

t.test('files in one process have their own results, and the environment of the runner', async (t) => {
  t.match(await run(LEAVES, PASSES), [
    { file: LEAVES, passed: 2, failures: [], notes: '' },
    { file: PASSES, passed: 2, failures: [], notes: '' },
  ])
})

t.test('a file that fails runs again in a process of its own, and that result counts', async (t) => {
  const [fails, passes, ...others] = await run(FAILS, PASSES)
  t.strictSame(others, [])
  t.match(fails, { file: FAILS, passed: 1, failures: { length: 2 } })
  t.match(fails?.failures[0], /an assertion › two items \(test\/runner\/fails\.ts:\d+:\d+\)/)
  t.match(fails?.notes, `${FAILS} runs alone: it failed in the process of several files`)
  t.match(fails?.notes, /not ok 1 - two items(?:.|\n)*fileName: test\/runner\/fails\.ts/)
  t.match(passes, { file: PASSES, passed: 2, failures: [], notes: '' })
})

t.test('if the process of several files fails, each of them runs alone', async (t) => {
  const reports = await run(PASSES, EXITS, LEAVES)
  t.match(reports, [
    { file: PASSES, passed: 2, failures: [] },
    { file: EXITS, passed: 1, failures: [] },
    { file: LEAVES, passed: 2, failures: [] },
  ])
  for (const { file, notes } of reports) t.match(notes, `${file} runs alone: the process of several files ended with 3`)
})

t.test('an error that a file has left behind fails this file, not the next one', async (t) => {
  const [late, waits, ...others] = await run(LATE, WAITS)
  t.strictSame(others, [])
  t.match(late, { file: LATE, failures: { length: 1 } })
  t.match(waits, { file: WAITS, passed: 1, failures: [] })
})

t.test('a file whose teardown does not end in time has failed, and the next one runs', async (t) => {
  const [hangs, passes] = ['dist/test/runner/hangs.js', PASSES]
  const { tap } = await runProgram([PROGRAM, hangs, passes], 2, 1)
  const outcomes = [hangs, passes].map((file) => readTap(findPart(tap, file)?.text ?? ''))
  t.strictSame(outcomes, [
    { passed: 1, failures: ['a teardown throws, or does not end'] },
    { passed: 2, failures: [] },
  ])
})
