// What goes to and fro between a server and the thread of its ledger.

import { createHydrantError, type ErrorCode, errorTable } from '../errors.ts'
import type { Ledger, LedgerLimits } from './ledger.ts'

export interface ThreadInput {
  file: string
  limits: LedgerLimits
}

export interface LedgerCall {
  id: number
  method: keyof Ledger
  args: readonly unknown[]
}

export type LedgerAnswer =
  | { kind: 'done'; id: number; value: unknown }
  | { kind: 'failed'; id: number; error: SentError }
  | { kind: 'notice'; text: string }

/** An error as it travels: threads pass on neither its code nor its fix. */
interface SentError {
  code: string
  message: string
}

export function sendError(error: unknown): SentError {
  if (!(error instanceof Error)) return { code: '', message: String(error) }
  return { code: 'code' in error ? String(error.code) : '', message: error.message }
}

export function receiveError({ code, message }: SentError): Error {
  if (!isErrorCode(code)) return new Error(message)
  const error = createHydrantError(code, [])
  // The message is complete already, and the stack would be that of its arrival.
  return Object.assign(error, { message, stack: `${error.name}: ${message}` })
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code)
}
