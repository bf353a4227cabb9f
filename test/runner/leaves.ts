// Changes the environment on purpose: `run-files.test.ts` runs it.

import { relative } from 'node:path'
import t from 'tap'

t.test('the environment is that of the runner', async (t) => {
  t.equal(process.env.HYDRANT_LEFT, undefined)
  process.env.HYDRANT_LEFT = 'left'
})

t.test('its folder has the name of the file', async (t) => {
  t.equal(relative('.tap/fixtures', t.testdir()), 'dist-test-runner-leaves.js-its-folder-has-the-name-of-the-file')
})
