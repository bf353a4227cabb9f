// Its teardown never ends on purpose: `run-files.test.ts` runs it.

import t from 'tap'

t.test('its own test passes', async (t) => {
  t.ok(true)
})
// The timer keeps the process for longer than the time of the file.
t.teardown(() => new Promise(() => setTimeout(() => {}, 2_000)))
