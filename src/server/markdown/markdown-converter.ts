import { createHydrantError } from '../errors/hydrant-error.ts'
import { startDeadline } from '../util/deadline.ts'
import { type MarkdownThread, startMarkdownThread } from './markdown-thread.ts'
import type { MarkdownTask } from './thread-messages.ts'

export interface MarkdownConverter {
  /**
   * Converts a document to Markdown in a thread, one document after another. Rejects with HYD_RENDER_TIMEOUT after
   * `maxMs`, and with HYD_MARKDOWN_FAILED if the document cannot be converted.
   *
   * @param onStop Gets a function that drops the document, if it is still waiting: the result is null then.
   */
  convert(task: MarkdownTask, onStop: (stop: () => void) => void): Promise<string | null>
  /** Ends the thread. Documents that have not been converted are rejected. */
  close(): Promise<void>
}

interface Job {
  task: MarkdownTask
  resolve(text: string | null): void
  reject(error: Error): void
  clearDeadline(): void
}

/** Few visitors want Markdown, and a thread takes 20 MB of memory. */
const IDLE_MS = 10_000

/** Creates the converter of a site. The first document starts the thread, and so does the first one after it has ended. */
export function createMarkdownConverter(maxMs: number, idleMs = IDLE_MS): MarkdownConverter {
  const waiting = new Set<Job>()
  let current: Job | null = null
  let thread: MarkdownThread | null = null
  let idle: NodeJS.Timeout | undefined

  function startNext() {
    clearTimeout(idle)
    if (current) return
    const [next] = waiting
    if (!next) {
      idle = setTimeout(() => void endThread(), idleMs).unref()
      return
    }
    waiting.delete(next)
    current = next
    thread ??= startThread()
    thread.convert(next.task)
  }

  function startThread(): MarkdownThread {
    const started = startMarkdownThread((result) => {
      if (thread !== started) return
      if (result.hasEnded) thread = null
      if ('text' in result) finish((job) => job.resolve(result.text))
      else finish((job) => job.reject(createHydrantError('HYD_MARKDOWN_FAILED', [result.reason])))
    })
    return started
  }

  function finish(settle: (job: Job) => void) {
    const job = current
    current = null
    if (job) {
      job.clearDeadline()
      settle(job)
    }
    startNext()
  }

  async function endThread() {
    const ended = thread
    thread = null
    await ended?.end()
  }

  function stopLate(job: Job) {
    const reject = () => job.reject(createHydrantError('HYD_RENDER_TIMEOUT', [maxMs, 'Markdown']))
    if (job !== current) {
      if (waiting.delete(job)) reject()
      return
    }
    void endThread()
    finish(reject)
  }

  return {
    convert: (task, onStop) =>
      new Promise((resolve, reject) => {
        const job: Job = { task, resolve, reject, clearDeadline: startDeadline(maxMs, () => stopLate(job)) }
        waiting.add(job)
        onStop(() => {
          if (!waiting.delete(job)) return
          job.clearDeadline()
          resolve(null)
        })
        startNext()
      }),
    async close() {
      clearTimeout(idle)
      const left = [...(current ? [current] : []), ...waiting]
      waiting.clear()
      current = null
      for (const job of left) {
        job.clearDeadline()
        job.reject(createHydrantError('HYD_MARKDOWN_FAILED', ['the server is stopping']))
      }
      await endThread()
    },
  }
}
