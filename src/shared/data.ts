// How a load's data travels to the browser. Both halves stand here: `serialise` on the server, `revive` in the
// browser. Promises travel as a number; what became of them follows later as a `Settlement` with that number.

import * as devalue from 'devalue'
import { escapeScript } from './html.ts'

/** What `JSON.stringify` can say stands as it is (a third of the time); else devalue's flat array or number. */
export type Flat = { plain: unknown } | unknown[] | number

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
 * Writes a value as JSON that is safe inside a script. `defer` is called for each promise and gives its number (1 or
 * more). Throws `devalue.DevalueError` with a `path` for what cannot travel.
 */
export function serialise(value: unknown, defer: (promise: PromiseLike<unknown>) => number): string {
  if (isPlain(value, new Set())) return `{"plain":${escapeScript(JSON.stringify(value))}}`
  return escapeScript(devalue.stringify(value, { Promise: (part: unknown) => isThenable(part) && defer(part) }))
}

/** Reads what `serialise` wrote (parsed as JSON). `promised` gives the promise of a number. */
export function revive(flat: Flat, promised: (id: number) => PromiseLike<unknown>): unknown {
  if (typeof flat === 'object' && 'plain' in flat) return flat.plain
  return devalue.unflatten(flat, { Promise: promised })
}

// Would JSON give back the same? Not what it leaves out (undefined), changes (-0, a Date) or doubles (an object that
// stands in two places), and not the one key that means something else inside a script.
function isPlain(value: unknown, seen: Set<object>): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  if (typeof value !== 'object' || seen.has(value)) return false
  seen.add(value)
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isPlain(value[index], seen)) return false
    return true
  }
  if (Object.getPrototypeOf(value) !== Object.prototype || Object.getOwnPropertySymbols(value).length > 0) return false
  // All of them are its own: a plain object inherits nothing enumerable.
  const object = value as Record<string, unknown>
  for (const key in object) {
    if (key === '__proto__' || key === 'toJSON' || !isPlain(object[key], seen)) return false
  }
  return true
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
