import type { FastifyBaseLogger } from 'fastify'
import { type Reload, warnOfSameRelease } from '../build-output/served-build.ts'
import type { WorkerProcess } from './worker-process.ts'
import type { WorkerSlot } from './worker-slot.ts'
import type { WorkerSource } from './worker-source.ts'

interface ReloadInput {
  slots: readonly WorkerSlot[]
  /** Reads what is on the disk now. */
  readSource(): WorkerSource
  /** Called when all workers have started from a new source: those that are lost from now on are replaced from it. */
  onDone(source: WorkerSource): void
  /** Returns the workers that are ready. */
  serving(): WorkerProcess[]
  isStopping(): boolean
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
}

/**
 * Replaces the workers, one after the other, by workers that serve the build on disk. When one of those cannot start, or
 * ends meanwhile, the others are replaced by workers of the previous build.
 */
export function createReload({ slots, readSource, onDone, serving, isStopping, log }: ReloadInput) {
  let requested = 0
  let last: Reload | null = null

  async function replaceAll(): Promise<boolean> {
    let source: WorkerSource
    try {
      source = readSource()
    } catch (err) {
      log.error({ err }, 'a file with environment variables cannot be read')
      return false
    }
    const hasSource = (slot: WorkerSlot) => slot.current()?.source === source
    for (const slot of slots) if (!(await slot.replace(source))) break
    const isDone = slots.every((slot) => hasSource(slot) && slot.current()?.isReady())
    if (isDone) onDone(source)
    else for (const slot of slots.filter(hasSource)) await slot.replace()
    return isDone
  }

  return {
    async run() {
      // A reload that is requested during a reload may be for a newer build, so the loop runs again.
      if (requested++ > 0 || isStopping()) return
      for (let done = 0; done < requested; ) {
        done = requested
        log.info('reloading: each worker stops when its replacement is ready')
        const [before] = serving()
        const isDone = await replaceAll()
        if (isStopping()) return
        last = { at: Date.now(), isDone }
        if (isDone) warnOfSameRelease(before?.served(), serving()[0]?.served(), log)
        if (isDone) log.info('reloaded: all workers serve the build on disk')
        else log.error('the build on disk cannot start: the workers of the previous build continue to serve')
      }
      requested = 0
    },
    /** Returns the last reload; null before the first. */
    last: () => last,
  }
}
