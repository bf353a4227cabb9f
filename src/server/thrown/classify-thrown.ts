import { validateHeaderName, validateHeaderValue } from 'node:http'
import { types } from 'node:util'
import { isClientErrorStatus, NotFoundSignal, Redirection, Signal } from './http-error.ts'
import { isForVisitor } from './visitor-error.ts'

/** The meaning of a thrown value. */
export type ThrownKind =
  | { kind: 'redirect'; redirection: Redirection }
  | { kind: 'notFound' }
  | { kind: 'refusal'; status: number; message: string; headers: Readonly<Record<string, string>> }
  | { kind: 'failure' }

/** Classifies a thrown value of any type. Never throws. */
export function classifyThrown(thrown: unknown): ThrownKind {
  if (typeof thrown !== 'object' || thrown === null || types.isProxy(thrown)) return { kind: 'failure' }
  try {
    if (thrown instanceof Signal) thrown.isCaught = true
    if (thrown instanceof Redirection) return { kind: 'redirect', redirection: thrown }
    if (thrown instanceof NotFoundSignal) return { kind: 'notFound' }
    const { statusCode, message } = thrown as { statusCode?: unknown; message?: unknown }
    if (thrown instanceof Error && isClientErrorStatus(statusCode) && isForVisitor(thrown)) {
      return statusCode === 404 && !message
        ? { kind: 'notFound' }
        : { kind: 'refusal', status: statusCode, message: String(message), headers: headersOf(thrown) }
    }
  } catch {
    // A getter, or a Proxy in the prototype chain, threw: the value is not meant for a visitor.
  }
  return { kind: 'failure' }
}

/** Returns the headers that an error wants in its response, a convention of http-errors that Fastify follows. */
function headersOf(error: object): Record<string, string> {
  const headers: unknown = Reflect.get(error, 'headers')
  if (typeof headers !== 'object' || headers === null) return {}
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => isValidHeader(name, value)))
}

function isValidHeader(name: string, value: unknown): boolean {
  if (typeof value !== 'string') return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}
