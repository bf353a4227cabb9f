// Needs a process of its own: the warm-up runs once in a process.

import { execFileSync } from 'node:child_process'
import t from 'tap'
import type { RenderToPipe } from '../../../src/server/context/react-renderer.ts'
import { loadRenderer } from '../../../src/server/context/react-renderer.ts'
import { warmUpFailures } from '../../../src/server/render/warm-up.ts'

const PROGRAM = new URL('warm-up-program.js', import.meta.url).pathname

t.test('the warm-up runs once per process and reports nothing', async (t) => {
  const told = t.capture(console, 'error')
  const react = await loadRenderer('bun')
  const errors: unknown[] = []
  let count = 0
  const render: RenderToPipe = (node, options) => {
    count++
    return react(node, {
      ...options,
      onError(error, info) {
        errors.push(error)
        return options.onError?.(error, info)
      },
    })
  }
  await warmUpFailures(render)
  const before = count
  t.ok(before > 0)
  t.ok(errors.length > 0)
  t.ok(errors.every((error) => error instanceof Error && error.message === 'This page fails on purpose.'))
  await warmUpFailures(render)
  t.equal(count, before)
  t.strictSame(told(), [])
})

t.test('after the warm-up the first failure deoptimizes no React code', async (t) => {
  const flags = ['--trace-opt', '--trace-deopt']
  const trace = execFileSync(process.execPath, [...flags, PROGRAM, 'rehearsed'], {
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
    maxBuffer: 2 ** 28,
  })
  const lines = trace.split('\n').filter((line) => line.includes('<JSFunction retryNode '))
  // Code that newer versions optimize earlier, in less time, is deoptimized earlier.
  const made = lines.findIndex((line) => line.includes('completed optimizing'))
  t.not(made, -1, 'V8 has made code of it')
  t.strictSame(
    lines.slice(made).filter((line) => line.includes('deoptimizing')),
    [],
  )
})
