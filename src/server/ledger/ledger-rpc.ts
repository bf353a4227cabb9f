// Calls of a ledger in another thread or process, and their results.

import { type ErrorCode, errorTable } from '../errors/error-table.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { createPendingCalls } from '../util/pending-calls.ts'
import { type CallMethod, callMethod } from './delegate-ledger.ts'
import type { ExitGate } from './exit-gate.ts'
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
  /** The number of pending calls. */
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
