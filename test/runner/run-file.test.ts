// What the test runner says of a file whose tests fail.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { runFile } from '../run-file.ts'
import { until } from '../until.ts'

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

t.test('a file that still runs ends with the runner, also when the runner is killed', async (t) => {
  const module = new URL('../run-file.js', import.meta.url).href
  const code = `import { runProgram } from ${JSON.stringify(module)}
await runProgram(['--eval', 'setInterval(() => {}, 1_000)'], 1)`
  const runner = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: 'ignore' })
  t.teardown(() => runner.kill('SIGKILL'))
  const children = `/proc/${runner.pid}/task/${runner.pid}/children`
  const child = await until(() => Number(readFileSync(children, 'utf8')))
  // The child is `setpriv` at first, which sets the signal before it becomes Node.js.
  const command = `/proc/${child}/cmdline`
  await until(() => readFileSync(command, 'utf8').startsWith(process.execPath))
  runner.kill('SIGKILL')
  // An ended process that nothing has waited for has no command.
  t.ok(await until(() => !existsSync(command) || readFileSync(command, 'utf8') === ''))
})
