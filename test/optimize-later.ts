// In Node.js 20, V8 waits longer before it optimizes a function, which takes up to a third of the time of a short
// process. Test processes, and the programs that they start, load this module first.
//
// V8 rejects compiled code from a process with other options. Node.js comes with the compiled code of its own modules:
// without it, they take 40 ms of a processor, and 25 ms in each thread. So this module loads them before it sets the
// option, and resets it while a thread starts.

import { createRequire, syncBuiltinESMExports } from 'node:module'
import { setFlagsFromString } from 'node:v8'

const LATER = '--interrupt-budget=1000000'
/** V8's own value. */
const DEFAULT = '--interrupt-budget=67584'
/** The modules of Node.js that the tests and Hydrant use. They load others. */
const USED = [
  'async_hooks',
  'child_process',
  'cluster',
  'crypto',
  'dns/promises',
  'fs/promises',
  'http',
  'http2',
  'https',
  'inspector',
  'os',
  'perf_hooks',
  'readline',
  'stream/consumers',
  'stream/promises',
  'timers/promises',
  'tls',
  'vm',
  'worker_threads',
  'zlib',
]

/** Newer versions have no such option. */
const hasOption = process.version.startsWith('v20.')

if (hasOption) {
  const require = createRequire(import.meta.url)
  for (const name of USED) require(`node:${name}`)
  setFlagsFromString(LATER)
  // The code that is kept at the end belongs to the option, also if a thread is starting.
  process.once('exit', () => setFlagsFromString(LATER))
  resetWhileStarting(require('node:worker_threads'))
}

/** Resets the option while a thread starts. */
function resetWhileStarting(threads: typeof import('node:worker_threads')) {
  let starting = 0
  threads.Worker = new Proxy(threads.Worker, {
    construct(target, words: ConstructorParameters<typeof threads.Worker>, newTarget) {
      if (starting++ === 0) setFlagsFromString(DEFAULT)
      let isStarting = true
      const end = () => {
        if (isStarting && --starting === 0) setFlagsFromString(LATER)
        isStarting = false
      }
      try {
        const worker: InstanceType<typeof target> = Reflect.construct(target, words, newTarget)
        return worker.once('online', end).once('exit', end)
      } catch (error) {
        end()
        throw error
      }
    },
  })
  syncBuiltinESMExports()
}
