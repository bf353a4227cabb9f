// The last lines of a test run.

import t from 'tap'
import { runFile } from '../run-file.ts'
import { formatSummary } from '../summary.ts'

t.test('the summary ends with each failure in a line with its file, and the numbers', async (t) => {
  const failures = ['a.test.js › first › title (a.ts:1:2)\n  diff: long', 'b.test.js › killed']
  t.equal(
    formatSummary(7, failures, ['c.test.js']),
    `
not ok: a.test.js › first › title (a.ts:1:2)
  diff: long

not ok: b.test.js › killed

second try: c.test.js failed beside other files, and passed alone; its output is above
not ok: a.test.js › first › title (a.ts:1:2)
not ok: b.test.js › killed
7 passed, 2 failed`,
  )
  t.match(formatSummary(7, [], []), /^7 passed, 0 failed$/m)
})

t.test('the last lines name the file that fails, next to its failing assertions', async (t) => {
  const file = 'dist/test/runner/fails.js'
  const { passed, failures } = await runFile(file)
  const lines = formatSummary(
    passed,
    failures.map((failure) => `${file} › ${failure}`),
    [],
  ).split('\n')
  t.match(lines.slice(-3), [
    /^not ok: dist\/test\/runner\/fails\.js › an assertion › two items \(test\/runner\/fails\.ts:\d+:\d+\)$/,
    /^not ok: dist\/test\/runner\/fails\.js › an error › no basket \(test\/runner\/fails\.ts:\d+:\d+\)$/,
    '1 passed, 2 failed',
  ])
})
