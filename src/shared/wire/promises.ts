// The format of a load's data on its way to the browser, and the code that reads it there. A promise is written as a
// number. Its result follows later, as a `Settlement` with that number.

export type Path = (string | number)[]

/**
 * Data as `serialize` writes it. `plain` is data that JSON can represent, which is written in a third of the time. It
 * has 0 in the place of each promise, and `promises` lists them with their paths. Without `plain` the data is
 * `undefined`. All other data is devalue's flat array or number.
 */
export type Flat = { plain?: unknown; promises?: [id: number, ...path: Path][] } | unknown[] | number

export type Settlement =
  | [id: number, kind: 'value', data: Flat]
  | [id: number, kind: 'failure', digest: string]
  | [id: number, kind: 'refusal', status: number, message: string]

/** A deferred promise rejects with this error in the browser when it failed on the server. */
export class ServerFailure extends Error {
  override name = 'ServerFailure'
  readonly digest: string
  constructor(digest: string) {
    super(`Server failure: ${digest}`)
    this.digest = digest
  }
}

/** A deferred promise rejects with this error in the browser when the server refused it (4xx). */
export class RefusalError extends Error {
  override name = 'Refusal'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Reads the parsed JSON of `serialize`. `promised` returns the promise with a number. */
export async function revive(flat: Flat, promised: (id: number) => PromiseLike<unknown>): Promise<unknown> {
  if (typeof flat !== 'object' || Array.isArray(flat)) {
    const { unflatten } = await import('./unflatten.ts')
    return unflatten(flat, { Promise: promised })
  }
  for (const [id, ...path] of flat.promises ?? []) {
    const key = path.pop() ?? ''
    // `serialize` writes only paths that exist.
    const step = (value: unknown, name: string | number) => (value as Record<string, unknown>)[name]
    const holder = path.reduce(step, flat.plain) as Record<string, unknown>
    holder[key] = promised(id)
  }
  return flat.plain
}

/** Returns whether a value has a method `then`, as promises do. Throws if reading it throws. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

type Settle = (settlement: Settlement | [id: 0, reason: Error]) => void | Promise<void>

/**
 * Creates the browser's deferred promises: returns each by its number, and settles them with the server's settlements.
 */
export function createDeferredPromises() {
  const promises = new Map<number, Promise<unknown>>()
  const pending = new Map<number, Settle>()
  let last = Promise.resolve()

  function promised(id: number): Promise<unknown> {
    let promise = promises.get(id)
    if (!promise) {
      promise = new Promise<unknown>((resolve, reject) => {
        // React reads these fields of a settled promise, and then does not wait for a microtask.
        const fulfill = (value: unknown) => {
          Object.assign(promise as object, { status: 'fulfilled', value })
          resolve(value)
        }
        const refuse = (reason: unknown) => {
          Object.assign(promise as object, { status: 'rejected', reason })
          reject(reason)
        }
        pending.set(id, ([, kind, content, message]) => {
          if (kind === 'value') return revive(content, promised).then(fulfill, refuse)
          if (kind === 'failure') refuse(new ServerFailure(content))
          else refuse(kind === 'refusal' ? new RefusalError(content, message) : kind)
        })
      })
      // The page may never read it. The server has logged the failure.
      promise.catch(() => {})
      promises.set(id, promise)
    }
    return promise
  }

  function settle(id: number, settlement: Parameters<Settle>[0]) {
    const settle = pending.get(id)
    pending.delete(id)
    return settle?.(settlement)
  }

  return {
    promised,
    /** Settles a promise. Settlements take effect in the order of the calls, even if one has to wait for a module. */
    settle(settlement: Settlement): Promise<void> {
      last = last.then(() => {
        const [id] = settlement
        promised(id)
        return settle(id, settlement)
      })
      return last
    },
    /** Rejects the promises that are still pending after all settlements so far. Call it when no more will follow. */
    failPending(reason: Error) {
      last = last.then(() => {
        for (const id of pending.keys()) void settle(id, [0, reason])
      })
    },
  }
}
