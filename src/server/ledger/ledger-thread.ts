import { Worker } from 'node:worker_threads'
import { createHydrantError } from '../errors.ts'
import type { Notice } from './file-ledger.ts'
import type { Ledger } from './ledger.ts'
import { type LedgerAnswer, type LedgerCall, receiveError, type ThreadInput } from './ledger-calls.ts'

interface Pending {
  resolve(value: unknown): void
  reject(error: Error): void
}

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

  // The methods of the ledger in the thread are those of the same names.
  const forward = <Method extends keyof Ledger>(method: Method) =>
    ((...args: readonly unknown[]) => {
      thread ??= startThread(input, notice, (ended) => {
        if (thread === ended) thread = null
      })
      return thread.call(method, args)
    }) as Ledger[Method]

  return {
    record: forward('record'),
    list: forward('list'),
    read: forward('read'),
    causes: forward('causes'),
    hours: forward('hours'),
    markRecovered: forward('markRecovered'),
    setSolved: forward('setSolved'),
    stats: forward('stats'),
    async close() {
      const ending = thread
      thread = null
      await ending?.end()
    },
  }
}

// The compiler does not rewrite this name: it runs as the JavaScript that stands beside.
const WORKER = new URL('./ledger-worker.js', import.meta.url)

/** Many times what it needs: beyond it the thread ends, and not the server. */
const MAX_HEAP_MB = 256

function startThread(workerData: ThreadInput, notice: Notice, onEnd: (ended: Thread) => void): Thread {
  const pending = new Map<number, Pending>()
  let count = 0
  let reason = 'it has stopped'
  // Options of the process are meant for its own program, and some of them fit no other.
  const worker = new Worker(WORKER, {
    ...{ workerData, name: 'hydrant-ledger', execArgv: [] },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  worker.unref()

  function settle(id: number): Pending | undefined {
    const call = pending.get(id)
    pending.delete(id)
    if (pending.size === 0) worker.unref()
    return call
  }

  worker.on('message', (answer: LedgerAnswer) => {
    if (answer.kind === 'notice') notice(answer.text)
    else if (answer.kind === 'done') settle(answer.id)?.resolve(answer.value)
    else settle(answer.id)?.reject(receiveError(answer.error))
  })
  worker.on('error', (error) => {
    reason = error instanceof Error ? error.message : String(error)
  })
  // Comes behind 'error'.
  const exited = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      onEnd(thread)
      for (const { reject } of pending.values()) reject(createHydrantError('HYD_LEDGER_THREAD', [reason]))
      pending.clear()
      resolve()
    })
  })

  function call(method: keyof Ledger, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const message: LedgerCall = { id: ++count, method, args }
      worker.postMessage(message)
      worker.ref()
      pending.set(message.id, { resolve, reject })
    })
  }

  const thread: Thread = {
    call,
    async end() {
      try {
        await call('close', [])
      } finally {
        // It ends by itself, and is waited for.
        worker.ref()
        await exited
      }
    },
  }
  return thread
}
