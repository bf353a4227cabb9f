// Ends its process on purpose, but only after `passes.ts`: `run-files.test.ts` runs it.

import t from 'tap'

t.test('a test', async (t) => {
  if (Reflect.has(globalThis, 'hydrantPasses')) process.exit(3)
  t.pass()
})
