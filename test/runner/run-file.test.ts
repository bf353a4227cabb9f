// What the test runner says of a file whose tests fail.

import { readFileSync } from 'node:fs'
import t from 'tap'
import { runFile } from '../run-file.ts'

const SOURCE = 'test/runner/fails.ts'

function placeOf(code: string): string {
  const lines = readFileSync(SOURCE, 'utf8').split('\n')
  return `${SOURCE}:${lines.findIndex((line) => line.includes(code)) + 1}:`
}

t.test('each failure names its place in the TypeScript source', async (t) => {
  const { passed, failures, output } = await runFile('dist/test/runner/fails.js')
  t.equal(passed, 1)
  const [assertion = '', error = '', timer = '', promise = '', ...others] = failures
  t.strictSame(others, [])
  t.match(assertion, `an assertion › two items (${placeOf('t.equal(fill(basket), 2')}`)
  t.match(error, `an error › no basket (${placeOf("throw new Error('no basket')")}`)
  t.match(error, `Test.<anonymous> (${placeOf('fill(null)')}`)
  t.match(timer, `uncaught errors › of a timer › no basket (${placeOf("throw new Error('no basket')")}`)
  t.match(timer, `(${placeOf('setTimeout(() => fill(null)')}`)
  t.match(promise, `uncaught errors › of a promise › no basket (${placeOf("throw new Error('no basket')")}`)
  t.notMatch(output, /dist\/test\/runner\/fails\.js:\d/)
})
