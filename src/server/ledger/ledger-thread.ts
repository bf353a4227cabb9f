import { Worker } from 'node:worker_threads'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { messageOf } from '../util/message-of.ts'
import type { Ledger } from './ledger.ts'
import { createCalls, forwardCalls, type LedgerAnswer, type ThreadInput } from './ledger-rpc.ts'
import type { Notice } from './sqlite/file-ledger.ts'

interface Thread {
  call(method: keyof Ledger, args: readonly unknown[]): Promise<unknown>
  end(): Promise<void>
}

/**
 * A ledger in a file, with a thread of its own, so that no request waits for the disk. The thread starts with the first
 * use, and again after it has died; it keeps the process only while it is asked something.
 */
export function createThreadLedger(input: ThreadInput, notice: Notice): Ledger {
  let thread: Thread | null = null

  return forwardCalls(
    (method, args) => {
      thread ??= startThread(input, notice, (ended) => {
        if (thread === ended) thread = null
      })
      return thread.call(method, args)
    },
    async () => {
      const ending = thread
      thread = null
      await ending?.end()
    },
  )
}

// The compiler does not rewrite this name: it runs as the JavaScript that stands beside.
const WORKER = new URL('./ledger-thread-program.js', import.meta.url)

/** Many times what it needs: beyond it the thread ends, and not the server. */
const MAX_HEAP_MB = 256

function startThread(workerData: ThreadInput, notice: Notice, onEnd: (ended: Thread) => void): Thread {
  let reason = 'it exited without an error'
  // Options of the process are meant for its own program, and some of them fit no other.
  const worker = new Worker(WORKER, {
    ...{ workerData, name: 'hydrant-ledger', execArgv: [] },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  worker.unref()

  const calls = createCalls((call) => {
    worker.postMessage(call)
    worker.ref()
  })
  worker.on('message', (answer: LedgerAnswer) => {
    if (answer.kind === 'notice') return notice(answer.text)
    calls.settle(answer)
    if (calls.count() === 0) worker.unref()
  })
  worker.on('error', (error) => {
    reason = messageOf(error)
  })
  // Comes behind 'error'.
  const exited = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      onEnd(thread)
      calls.failAll(createHydrantError('HYD_LEDGER_THREAD', [reason]))
      resolve()
    })
  })

  const thread: Thread = {
    call: calls.call,
    async end() {
      try {
        await calls.call('close', [])
      } finally {
        // It ends by itself, and is waited for.
        worker.ref()
        await exited
      }
    },
  }
  return thread
}
