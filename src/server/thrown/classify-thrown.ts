import { types } from 'node:util'
import { isClientErrorStatus, NotFoundSignal, Redirection } from './http-error.ts'
import { isForVisitor } from './visitor-error.ts'

/** What was meant by throwing it. */
export type ThrownKind =
  | { kind: 'redirect'; redirection: Redirection }
  | { kind: 'notFound' }
  | { kind: 'refusal'; status: number; message: string }
  | { kind: 'failure' }

/** Decides what a thrown value means. Anything at all may come in; nothing is thrown out. */
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
    // A getter or a Proxy below it threw: whatever it is, it is not meant for a visitor.
  }
  return { kind: 'failure' }
}
