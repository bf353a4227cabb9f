// Leaves a process behind on purpose: `pool.test.ts` runs it.

import { spawn } from 'node:child_process'
import t from 'tap'

t.test('a test that passes', async (t) => {
  spawn('sleep', ['30'], { stdio: 'inherit', detached: true }).unref()
  t.ok(true)
})
