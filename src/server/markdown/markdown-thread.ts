import { Worker } from 'node:worker_threads'
import { messageOf } from '../util/message-of.ts'
import type { MarkdownResult, MarkdownTask } from './thread-messages.ts'

export interface MarkdownThread {
  /** Converts one document. To be called when the last one has its result. */
  convert(task: MarkdownTask): void
  end(): Promise<unknown>
}

type OnResult = (result: MarkdownResult & { hasEnded?: boolean }) => void

// The path of the compiled file, because the compiler does not rewrite it.
const PROGRAM = new URL('./markdown-thread-program.js', import.meta.url)

/** Enough for the longest document that is converted. If it needs more, the thread exits instead of the server. */
const MAX_HEAP_MB = 512

/** Starts the thread. It keeps the process alive only while it converts. */
export function startMarkdownThread(onResult: OnResult): MarkdownThread {
  let reason = 'the thread exited without an error'
  // `execArgv` is empty, because some options of the process are valid for its own program only.
  const worker = new Worker(PROGRAM, {
    name: 'hydrant-markdown',
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  worker.unref()
  worker.on('message', (result: MarkdownResult) => {
    worker.unref()
    onResult(result)
  })
  worker.on('error', (error) => {
    reason = messageOf(error)
  })
  worker.on('exit', () => onResult({ reason, hasEnded: true }))
  return {
    convert(task) {
      worker.ref()
      worker.postMessage(task)
    },
    end: () => worker.terminate(),
  }
}
