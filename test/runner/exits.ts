// Ends its process on purpose: `pool.test.ts` runs it.

import t from 'tap'

t.test('a test that passes', async (t) => t.ok(true))
t.test('the end', async () => {
  process.exit(3)
})
