// tap asks the package async-hook-domain which test an uncaught error belongs to. That package makes Node.js track every
// promise, which takes a tenth of the CPU time of a test process. The tests of a file run one after the other, so an
// uncaught error belongs to the test that is running.

import type { Test } from 'tap'

/** Takes the place of the package's class in tap. */
export class Domain {
  readonly onerror: (error: unknown, event: string) => void

  constructor(onerror: Domain['onerror']) {
    this.onerror = onerror
  }

  destroy() {}
}

/** Reports uncaught errors as failures of the innermost test that is running. They then do not end the process. */
export function reportUncaughtErrors(getTest: () => Test): void {
  process.on('uncaughtExceptionMonitor', (error, origin) => {
    if (process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback()) return
    const test = innermostTest(getTest())
    if (test.results) return
    test.hookDomain.onerror(error, origin)
    // Another file of this process may have caused the error, so all of them run again alone.
    process.exitCode = 1
    // Node.js calls this instead of ending the process.
    process.setUncaughtExceptionCaptureCallback(() => process.setUncaughtExceptionCaptureCallback(null))
  })
}

function innermostTest(test: Pick<Test, 'activeSubtests' | 'hookDomain' | 'results'>): typeof test {
  const inner = [...test.activeSubtests].at(-1)
  return inner && 'activeSubtests' in inner ? innermostTest(inner as Test) : test
}
