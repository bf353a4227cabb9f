// What the test command says of files that pass, fail, crash and leave something behind.

import { readFileSync } from 'node:fs'
import t from 'tap'
import { type Outcome, runPool } from './pool.ts'
import { formatSummary } from './summary.ts'

async function run(names: readonly string[], isAlone = false): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>()
  const files = names.map((name) => `dist/test/runner/${name}.js`)
  const report = (file: string, outcome: Outcome) => void outcomes.set(file, outcome)
  await runPool(files, { jobs: 1, isAlone: () => isAlone, report, graceMs: 1000 })
  return outcomes
}

function placeOf(code: string, source = 'test/runner/fails.ts'): string {
  const lines = readFileSync(source, 'utf8').split('\n')
  return `${source}:${lines.findIndex((line) => line.includes(code)) + 1}:`
}

const outcomes = await run(['passes', 'fails', 'throws', 'exits', 'passes'])
const outcomeOf = (name: string) => {
  const found = outcomes.get(`dist/test/runner/${name}.js`)
  if (!found) throw new Error(`${name} has no outcome`)
  return found
}

t.test('each failure names its place in the TypeScript source', async (t) => {
  const { passed, failures, output } = outcomeOf('fails')
  t.equal(passed, 1)
  const [assertion = '', error = '', ...others] = failures
  t.strictSame(others, [])
  t.match(assertion, `an assertion › two items (${placeOf('t.equal(fill(basket), 2')}`)
  t.match(error, `an error › no basket (${placeOf("throw new Error('no basket')")}`)
  t.match(error, `Test.<anonymous> (${placeOf('fill(null)')}`)
  t.notMatch(output, /dist\/test\/runner\/fails\.js:\d/)
})

t.test('an error that nothing catches fails the test that has caused it', async (t) => {
  const { passed, failures } = outcomeOf('throws')
  t.equal(passed, 1)
  const [timer = '', promise = '', ...others] = failures
  t.strictSame(others, [])
  t.match(timer, 'uncaught errors › of a timer › refused')
  t.match(promise, 'uncaught errors › of a promise › refused')
})

t.test('a file that ends its process fails, and the next one runs in another process', async (t) => {
  t.strictSame(outcomeOf('exits').failures, ['its process ended with 3'])
  t.match(outcomeOf('passes'), { passed: 1, failures: [] }, 'it was run twice, with the environment of the command')
})

t.test('a file that leaves a process behind fails', async (t) => {
  const left = await run(['leaves'], true)
  t.match([...left.values()], [{ passed: 1, failures: ['a process that it has started is still there'] }])
})

t.test('the summary ends with each failure in a line with its file, and the numbers', async (t) => {
  const { passed, failures } = outcomeOf('fails')
  const lines = formatSummary(
    passed,
    failures.map((failure) => `fails.js › ${failure}`),
  ).split('\n')
  t.match(lines.slice(-3), [
    /^not ok: fails\.js › an assertion › two items \(test\/runner\/fails\.ts:\d+:\d+\)$/,
    /^not ok: fails\.js › an error › no basket \(test\/runner\/fails\.ts:\d+:\d+\)$/,
    '1 passed, 2 failed',
  ])
  t.match(formatSummary(7, []), /^7 passed, 0 failed$/m)
})
