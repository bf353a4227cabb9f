// What goes to and fro between a server and its ledger, where that is in another thread or process.

import { type ErrorCode, errorTable } from '../errors/error-table.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
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

function sendError(error: unknown): SentError {
  if (!(error instanceof Error)) return { code: '', message: String(error) }
  return { code: 'code' in error ? String(error.code) : '', message: error.message }
}

function receiveError({ code, message }: SentError): Error {
  if (!isErrorCode(code)) return new Error(message)
  const error = createHydrantError(code, [])
  // The message is complete already, and the stack would be that of its arrival.
  return Object.assign(error, { message, stack: `${error.name}: ${message}` })
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code)
}

/** The side that asks. */
export interface Calls {
  call(method: keyof Ledger, args: readonly unknown[]): Promise<unknown>
  settle(answer: Exclude<LedgerAnswer, { kind: 'notice' }>): void
  /** How many have no answer yet. */
  count(): number
  /** None of them will have one. */
  failAll(error: Error): void
}

export function createCalls(post: (call: LedgerCall) => void): Calls {
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let lastId = 0
  return {
    call: (method, args) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        post({ id, method, args })
        pending.set(id, { resolve, reject })
      }),
    settle(answer) {
      const call = pending.get(answer.id)
      pending.delete(answer.id)
      if (answer.kind === 'done') call?.resolve(answer.value)
      else call?.reject(receiveError(answer.error))
    },
    count: () => pending.size,
    failAll(error) {
      for (const { reject } of pending.values()) reject(error)
      pending.clear()
    },
  }
}

/** A ledger whose methods are called somewhere else. */
export function forwardCalls(call: Calls['call'], close: Ledger['close']): Ledger {
  // The methods of the ledger on the other side are those of the same names.
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

/** The side that answers. Never rejects. */
export async function answerCall(ledger: Ledger, { id, method, args }: LedgerCall) {
  // The arguments are those of that method, as the other side has been given them.
  const call = ledger[method] as (...args: readonly unknown[]) => Promise<unknown>
  try {
    return { kind: 'done', id, value: await call(...args) } as const
  } catch (error) {
    return { kind: 'failed', id, error: sendError(error) } as const
  }
}
