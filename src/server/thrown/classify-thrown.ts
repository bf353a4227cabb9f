import { types } from 'node:util'
import { isClientErrorStatus, NotFoundSignal, Redirection } from './http-error.ts'
import { isForVisitor } from './visitor-error.ts'

/** The meaning of a thrown value. */
export type ThrownKind =
  | { kind: 'redirect'; redirection: Redirection }
  | { kind: 'notFound' }
  | { kind: 'refusal'; status: number; message: string }
  | { kind: 'failure' }

/** Classifies a thrown value of any type. Never throws. */
export function classifyThrown(thrown: unknown): ThrownKind {
  if (typeof thrown !== 'object' || thrown === null || types.isProxy(thrown)) return { kind: 'failure' }
  try {
    if (thrown instanceof Redirection) return { kind: 'redirect', redirection: thrown }
    if (thrown instanceof NotFoundSignal) return { kind: 'notFound' }
    const { statusCode, message } = thrown as { statusCode?: unknown; message?: unknown }
    if (thrown instanceof Error && isClientErrorStatus(statusCode) && isForVisitor(thrown)) {
      return statusCode === 404 && !message
        ? { kind: 'notFound' }
        : { kind: 'refusal', status: statusCode, message: String(message) }
    }
  } catch {
    // A getter, or a Proxy in the prototype chain, threw: the value is not meant for a visitor.
  }
  return { kind: 'failure' }
}
