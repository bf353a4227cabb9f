import type { Ledger } from './ledger.ts'

/** Calls the method of a ledger by its name, and resolves with its result. */
export type CallMethod = (method: keyof Ledger, args: readonly unknown[]) => Promise<unknown>

/** Runs work with a ledger that may have to be opened first. */
export type UseLedger = <T>(work: (ledger: Ledger) => Promise<T>) => Promise<T>

/** Returns a ledger that passes each call except `close` to `call`. This is the only list of a ledger's methods. */
export function createForwardingLedger(call: CallMethod, close: Ledger['close']): Ledger {
  // `call` has the arguments and the result of the method that it is given.
  const forward = <Method extends keyof Ledger>(method: Method) =>
    ((...args: readonly unknown[]) => call(method, args)) as Ledger[Method]
  return {
    record: forward('record'),
    list: forward('list'),
    read: forward('read'),
    fingerprints: forward('fingerprints'),
    releases: forward('releases'),
    hours: forward('hours'),
    markRecovered: forward('markRecovered'),
    setSolved: forward('setSolved'),
    stats: forward('stats'),
    close,
  }
}

/** Returns a ledger whose calls, except `close`, are made on the ledger that `use` provides. */
export function createDelegateLedger(use: UseLedger, close: Ledger['close']): Ledger {
  return createForwardingLedger((method, args) => use((ledger) => callMethod(ledger, method, args)), close)
}

/** Calls a method of `ledger` by its name. `args` must be the arguments of that method. */
export function callMethod(ledger: Ledger, method: keyof Ledger, args: readonly unknown[]): Promise<unknown> {
  const call = ledger[method] as (...args: readonly unknown[]) => Promise<unknown>
  return call(...args)
}
