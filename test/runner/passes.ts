// `run-files.test.ts` runs it after a file that changes the environment.

import t from 'tap'

t.equal(process.env.HYDRANT_LEFT, undefined)

t.test('a test inside', async (t) => {
  t.equal(t.fullname, 'dist/test/runner/passes.js > TAP > a test inside')
})

// `exits.ts` looks for it.
Reflect.set(globalThis, 'hydrantPasses', true)
