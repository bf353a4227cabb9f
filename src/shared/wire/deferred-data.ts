// How a load's data travels to the browser, and the half that reads it there. The half that writes it on the server
// stands beside this, in serialise.ts, or bundlers would give devalue to every page. Promises travel as a number; what
// became of them follows later as a `Settlement` with that number.

export type Path = (string | number)[]

/**
 * What `JSON.stringify` can say stands as it is (a third of the time), and promises in it beside it, each with the way
 * to its place; nothing at all is `undefined`. All else is devalue's flat array or number.
 */
export type Flat = { plain?: unknown; promises?: [id: number, ...path: Path][] } | unknown[] | number

export type Settlement =
  | [id: number, kind: 'value', data: Flat]
  | [id: number, kind: 'failure', digest: string]
  | [id: number, kind: 'refusal', status: number, message: string]

/** What a deferred promise rejects with in the browser after a failure on the server. */
export class ServerFailure extends Error {
  override name = 'ServerFailure'
  readonly digest: string
  constructor(digest: string) {
    super(`The server failed (digest ${digest}); see its logs.`)
    this.digest = digest
  }
}

/** What a deferred promise rejects with in the browser after a refusal (4xx) on the server. */
export class RefusalError extends Error {
  override name = 'Refusal'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Reads what `serialise` wrote (parsed as JSON). `promised` gives the promise of a number. */
export async function revive(flat: Flat, promised: (id: number) => PromiseLike<unknown>): Promise<unknown> {
  if (typeof flat !== 'object' || Array.isArray(flat)) {
    const { unflatten } = await import('./unflatten.ts')
    return unflatten(flat, { Promise: promised })
  }
  for (const [id, ...path] of flat.promises ?? []) {
    const key = path.pop() ?? ''
    // `serialise` has come to the promise by this way.
    const step = (value: unknown, name: string | number) => (value as Record<string, unknown>)[name]
    const holder = path.reduce(step, flat.plain) as Record<string, unknown>
    holder[key] = promised(id)
  }
  return flat.plain
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
type Settle = (settlement: Settlement) => void | Promise<void>

/** The browser's side of deferred promises: hands them out by number and settles them as the server says. */
export function createDeferredPromises() {
  const known = new Map<number, { promise: Promise<unknown>; settle: Settle }>()
  const pending = new Map<number, (reason: Error) => void>()
  let last = Promise.resolve()

  function entry(id: number) {
    const existing = known.get(id)
    if (existing) return existing
    let settle!: Settle
    const promise = new Promise<unknown>((resolve, reject) => {
      // React reads a settled promise at once if these fields say so, instead of waiting for a microtask.
      const fulfil = (value: unknown) => {
        Object.assign(promise, { status: 'fulfilled', value })
        resolve(value)
      }
      const refuse = (reason: unknown) => {
        Object.assign(promise, { status: 'rejected', reason })
        reject(reason)
      }
      pending.set(id, refuse)
      settle = ([, kind, told, message]) => {
        if (!pending.delete(id)) return
        if (kind === 'value') return revive(told, promised).then(fulfil, refuse)
        refuse(kind === 'failure' ? new ServerFailure(told) : new RefusalError(told, message))
      }
    })
    // Nobody may be waiting for it; the server has logged the failure.
    promise.catch(() => {})
    const created = { promise, settle }
    known.set(id, created)
    return created
  }

  function promised(id: number): Promise<unknown> {
    return entry(id).promise
  }

  return {
    promised,
    /** Settlements take effect in the order they come in, even if one must wait for the module that reads it. */
    settle(settlement: Settlement): Promise<void> {
      last = last.then(() => entry(settlement[0]).settle(settlement))
      return last
    },
    /** Rejects those that have not settled by what has come: nothing more will. */
    failPending(reason: Error) {
      last = last.then(() => {
        for (const refuse of pending.values()) refuse(reason)
        pending.clear()
      })
    },
  }
}
