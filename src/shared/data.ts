// How a load's data travels to the browser. Both halves stand here: `serialise` on the server, `revive` in the
// browser. Promises travel as a number; what became of them follows later as a `Settlement` with that number.

import * as devalue from 'devalue'

/** Devalue's flat form of a value: an array (or a negative number for a lone special value). */
export type Flat = unknown

export type Settlement =
  | [id: number, kind: 'value', data: Flat]
  | [id: number, kind: 'failure', digest: string]
  | [id: number, kind: 'refusal', status: number, message: string]

/** What a deferred promise rejects with in the browser after a failure on the server. */
export class ServerFailure extends Error {
  readonly digest: string
  constructor(digest: string) {
    super(`The server failed (digest ${digest}); see its logs.`)
    this.name = 'ServerFailure'
    this.digest = digest
  }
}

/** What a deferred promise rejects with in the browser after a refusal (4xx) on the server. */
export class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.name = 'Refusal'
    this.status = status
  }
}

/**
 * Writes a value as JSON that is safe inside a script. `defer` is called for each promise, with its path in the
 * data, and gives its number (1 or more). Throws `devalue.DevalueError` with a `path` for what cannot travel.
 */
export function serialise(value: unknown, defer: (promise: PromiseLike<unknown>) => number): string {
  return devalue
    .stringify(value, { Promise: (part: unknown) => isThenable(part) && defer(part) })
    .replace(/[\u2028\u2029]/g, (character) => (character === '\u2028' ? '\\u2028' : '\\u2029'))
}

/** Reads what `serialise` wrote (parsed as JSON). `promised` gives the promise of a number. */
export function revive(flat: Flat, promised: (id: number) => PromiseLike<unknown>): unknown {
  // Flat is what devalue itself wrote: an array or a number.
  return devalue.unflatten(flat as unknown[] | number, { Promise: promised })
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** The browser's side of deferred promises: hands them out by number and settles them as the server says. */
export function createDeferredPromises() {
  const known = new Map<number, { promise: Promise<unknown>; settle(settlement: Settlement): void }>()

  function entry(id: number) {
    const existing = known.get(id)
    if (existing) return existing
    const { promise, resolve, reject } = withResolvers()
    // React reads a settled promise at once if these fields say so, instead of waiting for a microtask.
    const mark = (fields: object) => Object.assign(promise, fields)
    const settle = (settlement: Settlement) => {
      if (settlement[1] === 'value') {
        const value = revive(settlement[2], promised)
        mark({ status: 'fulfilled', value })
        return resolve(value)
      }
      const reason =
        settlement[1] === 'failure' ? new ServerFailure(settlement[2]) : new Refusal(settlement[2], settlement[3])
      mark({ status: 'rejected', reason })
      reject(reason)
    }
    // Nobody may be waiting for it; the server has logged the failure.
    promise.catch(() => {})
    const created = { promise, settle }
    known.set(id, created)
    return created
  }

  function promised(id: number): Promise<unknown> {
    return entry(id).promise
  }

  return { promised, settle: (settlement: Settlement) => entry(settlement[0]).settle(settlement) }
}

function withResolvers() {
  let resolve: (value: unknown) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<unknown>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
