// Runs for a moment: `run-files.test.ts` runs it.

import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'

t.test('a test that waits', async (t) => {
  await wait(100)
  t.ok(true)
})
