import type { Test } from 'tap'

let receive: (test: Test) => void = () => {
  throw new Error('The installed package "tap" has one test for each process.')
}

/** The package `tap` of `fast-modules.ts` calls this: its default export becomes each test that `startTest` gets. */
export function onTest(receiver: (test: Test) => void): void {
  receive = receiver
}

/** Makes `t` in `import t from 'tap'` the test of the file that is loaded next. */
export function startTest(test: Test): void {
  receive(test)
}
