// Ends its process on purpose, but only next to other files: `run-files.test.ts` runs it.

import t from 'tap'

t.test('a test', async (t) => {
  if (process.argv.length > 2) process.exit(3)
  t.pass()
})
