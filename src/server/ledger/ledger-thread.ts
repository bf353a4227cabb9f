import { Worker } from 'node:worker_threads'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { messageOf } from '../util/unknown-values.ts'
import type { Ledger } from './ledger.ts'
import {
  type CallMethod,
  createCalls,
  createExitGate,
  createForwardingLedger,
  shutGate,
  type ThreadData,
  type ThreadInput,
  type ThreadMessage,
} from './ledger-rpc.ts'
import type { LogNotice } from './sqlite/file-ledger.ts'

interface Thread {
  call: CallMethod
  /** Whether no call is pending. */
  isIdle(): boolean
  end(): Promise<void>
}

/** A site that works has no failures to write for hours, and a thread takes 10 to 20 MB of memory. */
const IDLE_MS = 10_000

/**
 * Creates a ledger in a file with a thread of its own, so that no request waits for the disk. The first call starts the
 * thread, and so does the first one after the thread has exited. The thread ends when it had no call for `idleMs`. It
 * keeps the process alive only while calls are pending. Its methods reject with HYD_LEDGER_THREAD if the thread exits,
 * and with the errors of `createFileLedger`.
 */
export function createThreadLedger(input: ThreadInput, notice: LogNotice, idleMs = IDLE_MS): Ledger {
  let thread: Thread | null = null
  let isKnown = false
  let idle: NodeJS.Timeout | undefined
  let ending: Promise<unknown> = Promise.resolve()

  function start(): Thread {
    return startThread({ ...input, isKnown }, notice, (ended) => {
      if (thread === ended) thread = null
    })
  }

  async function end() {
    clearTimeout(idle)
    const ended = thread
    thread = null
    await Promise.all([ending, ended?.end()])
  }

  function endIdle() {
    if (!thread?.isIdle()) return
    ending = end().catch((error: unknown) => notice(`the ledger was not closed: ${messageOf(error)}`))
  }

  async function call(...of: Parameters<CallMethod>): Promise<unknown> {
    clearTimeout(idle)
    thread ??= start()
    try {
      const result = await thread.call(...of)
      isKnown = true
      return result
    } finally {
      clearTimeout(idle)
      if (thread) idle = setTimeout(endIdle, idleMs).unref()
    }
  }

  return createForwardingLedger(call, end)
}

// The compiler does not rewrite this path: it is that of the compiled file.
const WORKER = new URL('./ledger-thread-program.js', import.meta.url)

/** Many times what the thread needs. If it needs more, the thread exits instead of the server. */
const MAX_HEAP_MB = 256

function startThread(input: Omit<ThreadData, 'gate'>, notice: LogNotice, onEnd: (ended: Thread) => void): Thread {
  let reason = 'it exited without an error'
  const workerData: ThreadData = { ...input, gate: createExitGate() }
  const onExit = () => shutGate(workerData.gate)
  process.on('exit', onExit)
  // Without the options of the process: some are valid for its own program only.
  const worker = new Worker(WORKER, {
    workerData,
    name: 'hydrant-ledger',
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  worker.unref()

  const calls = createCalls((call) => {
    worker.postMessage(call)
    worker.ref()
  })
  worker.on('message', (message: ThreadMessage) => {
    if (message.kind === 'notice') return notice(message.text)
    calls.settle(message)
    if (calls.count() === 0) worker.unref()
  })
  worker.on('error', (error) => {
    reason = messageOf(error)
  })
  // 'exit' comes after 'error'.
  const exited = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      process.off('exit', onExit)
      onEnd(thread)
      calls.failAll(createHydrantError('HYD_LEDGER_THREAD', [reason]))
      resolve()
    })
  })

  const thread: Thread = {
    call: calls.call,
    isIdle: () => calls.count() === 0,
    async end() {
      try {
        await calls.call('close', [])
      } finally {
        // The thread exits by itself. Until then it keeps the process alive.
        worker.ref()
        await exited
      }
    },
  }
  return thread
}
