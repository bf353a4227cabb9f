// Takes the place of the package `tap` in test files (`tap-hooks.ts`), because a process runs several of them one after
// the other: `t` is the test of the file that is running.

import ofProcess, { Test } from 'tap'

let t: Test = ofProcess

/** Makes a test the value of `t` for the file that is imported next. */
export function startTest(test: Test): void {
  t = test
}

export { Test, t, t as default }
