// What the test runner says of a file whose tests fail.

import { readFileSync } from 'node:fs'
import t from 'tap'
import { runFile } from '../run-file.ts'

function placeOf(code: string, source = 'test/runner/fails.ts'): string {
  const lines = readFileSync(source, 'utf8').split('\n')
  return `${source}:${lines.findIndex((line) => line.includes(code)) + 1}:`
}

t.test('each failure names its place in the TypeScript source', async (t) => {
  const { passed, failures, output } = await runFile('dist/test/runner/fails.js')
  t.equal(passed, 1)
  const [assertion = '', error = '', ...others] = failures
  t.strictSame(others, [])
  t.match(assertion, `an assertion › two items (${placeOf('t.equal(fill(basket), 2')}`)
  t.match(error, `an error › no basket (${placeOf("throw new Error('no basket')")}`)
  t.match(error, `Test.<anonymous> (${placeOf('fill(null)')}`)
  t.notMatch(output, /dist\/test\/runner\/fails\.js:\d/)
})

t.test('an error that nothing catches fails the innermost test that is running', async (t) => {
  const source = 'test/runner/throws.ts'
  const { passed, failures } = await runFile('dist/test/runner/throws.js')
  t.equal(passed, 1)
  const [timer = '', promise = '', ...others] = failures
  t.strictSame(others, [])
  const thrown = placeOf("throw new Error('refused')", source)
  t.match(timer, `uncaught errors › of a timer › refused (${thrown}`)
  t.match(timer, `(${placeOf('setTimeout(() => refuse()', source)}`)
  t.match(promise, `uncaught errors › of a promise › refused (${thrown}`)
})
