// A file with one assertion: `pool.test.ts` runs it.

import t from 'tap'

t.test('the environment, and the listeners of earlier files', async (t) => {
  t.equal(process.env.CHANGED_BY_A_TEST, undefined)
  process.env.CHANGED_BY_A_TEST = 'yes'
})
