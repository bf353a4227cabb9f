// Leaves a timer that throws after the last test: `run-files.test.ts` runs it.

import t from 'tap'

t.test('a test that passes', async (t) => {
  t.ok(true)
  setTimeout(() => {
    throw new Error('late')
  }, 20)
})
