// Calls of a ledger in another thread or process, and their results.

import { type ErrorCode, errorTable } from '../errors/error-table.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { createPendingCalls } from '../util/deadline.ts'
import type { Ledger, LedgerLimits } from './ledger.ts'

export interface ThreadInput {
  file: string
  limits: LedgerLimits
}

/** The data that a thread receives when it starts. */
export interface ThreadData extends ThreadInput {
  /** Whether the file has been a ledger in this process. */
  isKnown: boolean
  gate: ExitGate
}

export interface LedgerCall {
  id: number
  method: keyof Ledger
  args: readonly unknown[]
}

export type CallResult = { kind: 'done'; id: number; value: unknown } | { kind: 'failed'; id: number; error: SentError }

/** What the thread of a ledger sends. */
export type ThreadMessage = CallResult | { kind: 'notice'; text: string }

/** An error as it is sent. The structured clone of an Error has neither its code nor its fix. */
interface SentError {
  code: string
  message: string
}

function sendError(error: unknown): SentError {
  if (!(error instanceof Error)) return { code: '', message: String(error) }
  return { code: 'code' in error ? String(error.code) : '', message: error.message }
}

function receiveError({ code, message }: SentError): Error {
  if (!isErrorCode(code)) return new Error(message)
  const error = createHydrantError(code, [])
  // The message has its values already. The stack would show where the error was received.
  return Object.assign(error, { message, stack: `${error.name}: ${message}` })
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code)
}

/** The calls of the client's side. */
export interface Calls {
  call: CallMethod
  /** Settles the call to which the result belongs. */
  settle(result: CallResult): void
  count(): number
  /** Rejects all pending calls. */
  failAll(error: Error): void
}

/** Creates the client's side. `post` sends a call to the other thread or process. */
export function createCalls(post: (call: LedgerCall) => void): Calls {
  const pending = createPendingCalls()
  return {
    call: (method, args) => pending.call((id) => post({ id, method, args })),
    settle(result) {
      if (result.kind === 'done') pending.resolve(result.id, result.value)
      else pending.reject(result.id, receiveError(result.error))
    },
    count: pending.count,
    failAll: pending.rejectAll,
  }
}

/** Makes a call on the ledger, on its side. Never rejects: an error is part of the result. */
export async function answerCall(ledger: Ledger, { id, method, args }: LedgerCall): Promise<CallResult> {
  try {
    return { kind: 'done', id, value: await callMethod(ledger, method, args) }
  } catch (error) {
    return { kind: 'failed', id, error: sendError(error) }
  }
}

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
    recordTimes: forward('recordTimes'),
    times: forward('times'),
    slowRequest: forward('slowRequest'),
    close,
  }
}

/** Returns a ledger whose calls, except `close`, are made on the ledger that `use` provides. */
export function createDelegateLedger(use: UseLedger, close: Ledger['close']): Ledger {
  return createForwardingLedger((method, args) => use((ledger) => callMethod(ledger, method, args)), close)
}

/** Calls a method of `ledger` by its name. `args` must be the arguments of that method. */
function callMethod(ledger: Ledger, method: keyof Ledger, args: readonly unknown[]): Promise<unknown> {
  const call = ledger[method] as (...args: readonly unknown[]) => Promise<unknown>
  return call(...args)
}

// The driver of SQLite aborts the process if its thread is stopped while it runs a statement: the C++ exception that it
// throws cannot be passed to JavaScript. So a process that exits waits until the thread is idle, and keeps it idle.

const IDLE = 0
const BUSY = 1
const EXITING = 2

/** The longest that an exit waits. SQLite waits up to two seconds for another process's lock. */
const MAX_WAIT_MS = 3_000

/** The state of a thread, shared with it. */
type ExitGate = Int32Array<SharedArrayBuffer>

export function createExitGate(): ExitGate {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
}

/** Blocks the process that exits while its thread is busy. Afterwards the thread starts no further work. */
export function shutGate(gate: ExitGate) {
  const end = Date.now() + MAX_WAIT_MS
  while (Atomics.compareExchange(gate, 0, IDLE, EXITING) === BUSY && Date.now() < end)
    Atomics.wait(gate, 0, BUSY, end - Date.now())
}

/** Marks the thread as busy. Returns false if its process exits. */
export function enterGate(gate: ExitGate): boolean {
  return Atomics.compareExchange(gate, 0, IDLE, BUSY) !== EXITING
}

/** Marks the thread as idle. */
export function leaveGate(gate: ExitGate) {
  Atomics.store(gate, 0, IDLE)
  Atomics.notify(gate, 0)
}
