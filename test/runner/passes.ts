// `run-files.test.ts` runs it after a file that changes the environment.

import t from 'tap'

t.equal(process.env.HYDRANT_LEFT, undefined)

t.test('a test inside', async (t) => {
  t.equal(t.parent?.name, process.argv.length > 2 ? 'dist/test/runner/passes.js' : 'TAP')
})
