import { isThenable } from '../../shared/wire/deferred-data.ts'
import { fulfilledText, messageText, needsUnflatten, serialise, serialisePlain } from '../../shared/wire/serialise.ts'
import type { RequestContext } from '../context/request-context.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import type { SourceFunction } from '../failures/digest.ts'
import type { Failure } from '../failures/failure-context.ts'
import { classifyThrown } from '../thrown/classify-thrown.ts'
import { messageOf } from '../util/message-of.ts'
import { silencePromises } from './data-promises.ts'

/** The promises in a page's data. */
export interface Deferred {
  /** How many are pending; 0 when the page needs no more data. */
  pendingCount(): number
  /** Where they come from: the page's load. */
  place: SourceFunction
  /** Where the pending ones stand: `data.reviews`. */
  pendingNames(): string[]
  /** Tells each settlement, as JSON that is safe inside a script. What settled before is told at once. */
  subscribe(onSettled: (settlement: string) => void): void
  /** Settles whatever is pending as this failure. */
  failPending(failure: Failure): void
}

export interface DataWriter extends Deferred {
  /**
   * Writes what the load of a file returned for the browser. Promises in it stay open: each is told when it settles.
   * Throws HYD_DATA_UNSERIALISABLE for what cannot travel.
   */
  write(value: unknown, file: string): string
}

/** The data of a document and the promises in it. */
export interface DeferredData extends Deferred {
  /** What `bootScript` takes. */
  serialised: readonly string[]
  /** Does the browser need the module that reads what JSON cannot say? */
  needsReader: boolean
}

/**
 * Writes what the loads returned. Throws HYD_DATA_UNSERIALISABLE.
 *
 * @param values The layouts' data, outermost first, then the page's; `files` names the files they came from.
 */
export function deferData(values: readonly unknown[], files: readonly string[], visit: RequestContext): DeferredData {
  // Most data is plain, and a writer costs as much again as to write it.
  const plain = values.map(tryPlain)
  if (plain.every((text) => text !== null)) return new PlainData(plain)
  const writer = createDataWriter(files.at(-1) ?? '', visit)
  try {
    const serialised = values.map((value, index) => plain[index] ?? writer.write(value, files[index] ?? ''))
    return { ...writer, serialised, needsReader: serialised.some(needsUnflatten) }
  } catch (error) {
    silencePromises(values)
    throw error
  }
}

// What throws is the writer's to tell.
function tryPlain(value: unknown): string | null {
  try {
    return serialisePlain(value)
  } catch {
    return null
  }
}

/** @param file The page's own file with its load. */
export function createDataWriter(pageFile: string, visit: RequestContext): DataWriter {
  const values: unknown[] = []
  const pending = new Map<number, unknown>()
  /** Of the load whose data is being written. */
  let file = ''
  let lastId = 0
  let queued: string[] = []
  let onSettled = (settlement: string) => {
    queued.push(settlement)
  }

  function defer(promise: PromiseLike<unknown>): number {
    const id = ++lastId
    const from: SourceFunction = { file, function: 'load' }
    pending.set(id, promise)
    promise.then(
      (value) => settle(id, () => fulfilled(id, value, from)),
      (reason: unknown) => settle(id, () => rejected(id, reason, from)),
    )
    return id
  }

  function settle(id: number, write: () => string) {
    if (!pending.has(id) || visit.isGone) return
    const settlement = write()
    pending.delete(id)
    onSettled(settlement)
  }

  function fulfilled(id: number, value: unknown, from: SourceFunction): string {
    file = from.file
    try {
      return fulfilledText(id, serialise(value, defer))
    } catch (error) {
      silencePromises(value)
      return rejected(id, unserialisable(error, from.file), from)
    }
  }

  function rejected(id: number, reason: unknown, from: SourceFunction): string {
    const meaning = classifyThrown(reason)
    switch (meaning.kind) {
      case 'refusal':
        return messageText([id, 'refusal', meaning.status, meaning.message])
      case 'notFound':
        return messageText([id, 'refusal', 404, 'Not Found'])
      case 'redirect':
        return failed(id, visit.fail(visit.lateRedirect(meaning.redirection), { phase: 'load' }))
      case 'failure':
        return failed(id, visit.fail(reason, { phase: 'load', place: from }))
    }
  }

  return {
    place: { file: pageFile, function: 'load' },
    write(value, from) {
      values.push(value)
      file = from
      try {
        return serialise(value, defer)
      } catch (error) {
        silencePromises(value)
        throw unserialisable(error, from)
      }
    },
    pendingCount: () => pending.size,
    pendingNames: () => [...pending.values()].map((promise) => pathOf(promise, values)),
    subscribe(listener) {
      onSettled = listener
      const earlier = queued
      queued = []
      for (const settlement of earlier) listener(settlement)
    },
    failPending(failure) {
      for (const id of [...pending.keys()]) settle(id, () => failed(id, failure))
    },
  }
}

/** Nothing in it is pending. */
class PlainData implements DeferredData {
  readonly serialised: readonly string[]
  readonly needsReader = false
  readonly place = NO_PLACE

  constructor(serialised: readonly string[]) {
    this.serialised = serialised
  }

  pendingCount() {
    return 0
  }

  pendingNames() {
    return []
  }

  subscribe() {}

  failPending() {}
}

const NO_PLACE: SourceFunction = { file: '', function: 'load' }

/** For a page without any load. */
export const NO_DATA: DeferredData = new PlainData([])

function failed(id: number, { digest }: Failure): string {
  return messageText([id, 'failure', digest])
}

export function unserialisable(error: unknown, file: string, from: 'load' | 'action' = 'load') {
  // Devalue's errors say where in the data: `.user.save`.
  const path = error instanceof Error && 'path' in error ? String(error.path) : ''
  const reason = messageOf(error)
  return createHydrantError('HYD_DATA_UNSERIALISABLE', [from, file, path, reason], error)
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
