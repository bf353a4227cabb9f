import t from 'tap'
import { formatError, formatProblem } from '../../scripts/terminal/format-error.ts'
import { createProgress } from '../../scripts/terminal/text.ts'

function record(isTTY: boolean) {
  const written: string[] = []
  return { output: { isTTY, write: (text: string) => written.push(text) }, written }
}

t.test('shows progress in one line that changes, on a terminal', async (t) => {
  const { output, written } = record(true)
  const progress = createProgress(output, 'hydrant build')
  progress.step('pages')
  progress.step('bundles')
  progress.end()
  const erase = '\r\u001b[2K'
  t.strictSame(written, [`${erase}hydrant build: pages…`, `${erase}hydrant build: bundles…`, erase])
})

t.test('shows progress in a line per step elsewhere', async (t) => {
  const { output, written } = record(false)
  const progress = createProgress(output, 'hydrant build')
  progress.step('pages')
  progress.end()
  t.strictSame(written, ['hydrant build: pages\n'])
})

t.test('cuts a long line to the text around the position', async (t) => {
  const lineText = `${'a'.repeat(500)}!${'b'.repeat(500)}`
  const location = { file: 'pages/a.tsx', line: 7, column: 501, lineText }
  const lines = formatProblem({ code: 'HYD_BUILD_SYNTAX', message: 'what', fix: 'Fix it.', location }).split('\n')
  const [source = '', caret = ''] = lines.filter((line) => line.includes(' | '))
  t.ok(source.length < 120)
  t.equal(caret.indexOf('^'), source.indexOf('!'))
})

t.test('shows the stack of an unexpected error', async (t) => {
  const error = new Error('oh')
  t.equal(formatError(error, { withStack: false }), error.stack)
  t.equal(formatError('a string', { withStack: false }), 'a string')
})

t.test('shows a known error without its stack, or with the stacks of its causes', async (t) => {
  const cause = new Error('below')
  const error = Object.assign(new Error('above', { cause }), { code: 'HYD_X', fix: 'Do this.' })
  t.equal(formatError(error, { withStack: false }), 'Error [HYD_X] above\nTry: Do this.')
  t.match(
    formatError(error, { withStack: true }),
    /above\nTry: Do this\.\n\nError: above\n(?:.|\n)*\nCaused by: Error: below\n/,
  )
})

t.test('shows an error of Fastify with its code, and its stack only if it leads to the site', async (t) => {
  const error = Object.assign(new Error('no plugin'), { code: 'FST_ERR_PLUGIN_TIMEOUT' })
  const head = 'Error [FST_ERR_PLUGIN_TIMEOUT] no plugin\n'
  const fix = 'Try: Read https://fastify.dev/docs/latest/Reference/Errors/#fst_err_plugin_timeout.'
  const inFastify = '    at manageErr (/site/node_modules/fastify/fastify.js:581:33)'
  error.stack = `Error: no plugin\n${inFastify}\n    at node:internal/process/task_queues:140:7\n    at new Promise (<anonymous>)`
  t.equal(formatError(error, { withStack: false }), `${head}${fix}`)
  t.equal(formatError(error, { withStack: true }), error.stack)
  error.stack = `Error: no plugin\n${inFastify}\n    at plugin (server.ts:3:7)`
  t.equal(formatError(error, { withStack: false }), `${head}${inFastify}\n    at plugin (server.ts:3:7)\n${fix}`)
})
