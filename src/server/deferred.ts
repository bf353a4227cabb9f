import { settledScript, settlementScript } from '../shared/boot.ts'
import { isThenable, type Settlement, serialise } from '../shared/data.ts'
import type { Frame } from './digest.ts'
import { createHydrantError } from './errors.ts'
import type { Failure } from './failures.ts'
import { silencePromises } from './guard.ts'
import { meaningOf } from './thrown.ts'
import type { Visit } from './visit.ts'

/** The data of a document and the promises in it. */
export interface DeferredData {
  /** What `bootScript` takes. */
  serialised: readonly string[]
  /** How many promises are pending; 0 when the document needs no more data. */
  readonly pendingCount: number
  /** Where they come from: the page's load. */
  place: Frame
  /** Where the pending ones stand: `data.reviews`. */
  pendingNames(): string[]
  /** Tells each settlement, as a script's text. What settled before is told at once. */
  subscribe(onSettled: (script: string) => void): void
  /** Settles whatever is pending as this failure. */
  failPending(failure: Failure): void
}

/**
 * Writes what the loads returned for the browser. Promises in it stay open: each is told when it settles. Throws
 * HYD_DATA_UNSERIALISABLE for what cannot travel.
 *
 * @param values The layouts' data, outermost first, then the page's; `files` names the files they came from.
 */
export function deferData(values: readonly unknown[], files: readonly string[], visit: Visit): DeferredData {
  const place: Frame = { file: files.at(-1) ?? '', function: 'load' }
  const pending = new Map<number, unknown>()
  /** Of the load whose data is being written. */
  let file = ''
  let lastId = 0
  let queued: string[] = []
  let onSettled = (script: string) => {
    queued.push(script)
  }

  function defer(promise: PromiseLike<unknown>): number {
    const id = ++lastId
    const from: Frame = { file, function: 'load' }
    pending.set(id, promise)
    promise.then(
      (value) => settle(id, () => fulfilled(id, value, from)),
      (reason: unknown) => settle(id, () => settlementScript(rejected(id, reason, from))),
    )
    return id
  }

  function settle(id: number, write: () => string) {
    if (!pending.has(id) || visit.isGone) return
    const script = write()
    pending.delete(id)
    onSettled(script)
  }

  function fulfilled(id: number, value: unknown, from: Frame): string {
    file = from.file
    try {
      return settledScript(id, serialise(value, defer))
    } catch (error) {
      return settlementScript(rejected(id, unserialisable(error, from.file), from))
    }
  }

  function rejected(id: number, reason: unknown, from: Frame): Settlement {
    const meaning = meaningOf(reason)
    switch (meaning.kind) {
      case 'refusal':
        return [id, 'refusal', meaning.status, meaning.message]
      case 'notFound':
        return [id, 'refusal', 404, 'Not Found']
      case 'redirect':
        return [id, 'failure', visit.fail(visit.lateRedirect(meaning.redirection), { phase: 'load' }).digest]
      case 'failure':
        return [id, 'failure', visit.fail(reason, { phase: 'load', place: from }).digest]
    }
  }

  return {
    place,
    serialised: values.map((value, index) => {
      file = files[index] ?? ''
      try {
        return serialise(value, defer)
      } catch (error) {
        silencePromises(values)
        throw unserialisable(error, file)
      }
    }),
    get pendingCount() {
      return pending.size
    },
    pendingNames: () => [...pending.values()].map((promise) => pathOf(promise, values)),
    subscribe(listener) {
      onSettled = listener
      const earlier = queued
      queued = []
      for (const script of earlier) listener(script)
    },
    failPending(failure) {
      for (const id of [...pending.keys()]) settle(id, () => settlementScript([id, 'failure', failure.digest]))
    },
  }
}

/** For a page without any load. */
export const NO_DATA: DeferredData = {
  serialised: [],
  pendingCount: 0,
  place: { file: '', function: 'load' },
  pendingNames: () => [],
  subscribe() {},
  failPending() {},
}

function unserialisable(error: unknown, file: string) {
  // Devalue's errors say where in the data: `.user.save`.
  const path = error instanceof Error && 'path' in error ? String(error.path) : ''
  const reason = error instanceof Error ? error.message : String(error)
  return createHydrantError('HYD_DATA_UNSERIALISABLE', [file, path, reason], error)
}

const MAX_SEARCH_DEPTH = 4

function pathOf(wanted: unknown, values: readonly unknown[]): string {
  function search(value: unknown, path: string, depth: number): string | null {
    if (value === wanted) return path
    if (typeof value !== 'object' || value === null || isThenable(value) || depth > MAX_SEARCH_DEPTH) return null
    for (const [key, part] of Object.entries(value)) {
      const found = search(part, `${path}.${key}`, depth + 1)
      if (found) return found
    }
    return null
  }
  for (const value of values) {
    const found = search(value, 'data', 0)
    if (found) return found
  }
  return 'a promise inside deferred data'
}
