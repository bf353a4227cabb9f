import { Worker } from 'node:worker_threads'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { startDeadline } from '../util/deadline.ts'
import { messageOf } from '../util/unknown-values.ts'

export interface MarkdownConverter {
  /**
   * Converts a document to Markdown in a thread, one document after another. Rejects with HYD_RENDER_TIMEOUT after
   * `maxMs`, and with HYD_MARKDOWN_FAILED if the document cannot be converted.
   *
   * @param onStop Gets a function that removes the document from the queue if it is still waiting. The result is then
   *   null.
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

/**
 * How long the thread waits for the next document. Few clients request Markdown, and a thread takes 20 MB of memory.
 */
const IDLE_MS = 10_000

/** Creates the converter of a site. A document starts the thread if it is not running. */
export function createMarkdownConverter(maxMs: number, idleMs = IDLE_MS): MarkdownConverter {
  const waiting = new Set<Job>()
  let current: Job | null = null
  const thread = createThreadOnDemand(idleMs, (result) => {
    if ('text' in result) finish((job) => job.resolve(result.text))
    else finish((job) => job.reject(createHydrantError('HYD_MARKDOWN_FAILED', [result.reason])))
  })

  function startNext() {
    if (current) return
    const [next] = waiting
    if (!next) return thread.rest()
    waiting.delete(next)
    current = next
    thread.convert(next.task)
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

  function stopLate(job: Job) {
    const reject = () => job.reject(createHydrantError('HYD_RENDER_TIMEOUT', [maxMs, 'Markdown']))
    if (job !== current) {
      if (waiting.delete(job)) reject()
      return
    }
    void thread.end()
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
      const left = [...(current ? [current] : []), ...waiting]
      waiting.clear()
      current = null
      for (const job of left) {
        job.clearDeadline()
        job.reject(createHydrantError('HYD_MARKDOWN_FAILED', ['the server is stopping']))
      }
      await thread.end()
    },
  }
}

/** Creates a thread that starts with the first document, and ends after `idleMs` without one. */
function createThreadOnDemand(idleMs: number, onResult: (result: MarkdownResult) => void) {
  let thread: MarkdownThread | null = null
  let idle: NodeJS.Timeout | undefined

  function start(): MarkdownThread {
    const started = startMarkdownThread((result) => {
      if (thread !== started) return
      if (result.hasEnded) thread = null
      onResult(result)
    })
    return started
  }

  async function end() {
    clearTimeout(idle)
    const ended = thread
    thread = null
    await ended?.end()
  }

  return {
    convert(task: MarkdownTask) {
      clearTimeout(idle)
      thread ??= start()
      thread.convert(task)
    },
    /** Must be called when no document waits: the thread then ends after `idleMs`. */
    rest() {
      clearTimeout(idle)
      idle = setTimeout(() => void end(), idleMs).unref()
    },
    end,
  }
}

interface MarkdownThread {
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
function startMarkdownThread(onResult: OnResult): MarkdownThread {
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

/** A document to convert. */
export interface MarkdownTask {
  html: string
  /** The absolute URL of the document. */
  address: string
}

/** The Markdown of the document, or why there is none. */
export type MarkdownResult = { text: string } | { reason: string }
