import { types } from 'node:util'
import type { FastifyBaseLogger } from 'fastify'
import type { LoadLog } from '../build-output/page-contexts.ts'
import { isPlainObject } from '../util/unknown-values.ts'

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

/**
 * Creates the log for the loads of a response that may be stored. It writes lines with the bindings of `log`, and does not
 * lead to them.
 *
 * The mixin of the log runs in the async context of the request, and so does other code of the site that writes the line.
 * It gets copies of what is logged: whatever it finds in the stores of the visitor, it cannot put into a value that the
 * load returns. A line whose values have code of their own is written in the context of the load.
 *
 * @param inRequest Calls a function in the async context of the request.
 */
export function createLoadLog(log: FastifyBaseLogger, inRequest: (write: () => void) => void): LoadLog {
  const methods = LEVELS.map((level) => {
    const write = (values: unknown[]) => void Reflect.apply(log[level], log, values)
    const method = (...values: unknown[]) => {
      const copies = values.map((value) => copyData(value))
      if (copies.includes(HAS_CODE)) write(values)
      else inRequest(() => write(copies))
    }
    return [level, method] as const
  })
  // Each level has its method.
  return Object.fromEntries(methods) as LoadLog
}

/** Stands for a value that has code of the site, which would run when the value is written. */
const HAS_CODE = Symbol('hasCode')
/** The most levels of a value that are looked at. */
const MAX_DEPTH = 8
const ERRORS: unknown[] = [Error, AggregateError, RangeError, ReferenceError, SyntaxError, TypeError]

/** Copies plain objects and lists. Errors without a class of the site stay as they are. */
function copyData(value: unknown, left = MAX_DEPTH): unknown {
  if (typeof value === 'function') return HAS_CODE
  if (typeof value !== 'object' || value === null) return value
  if (left === 0 || types.isProxy(value) || 'toJSON' in value) return HAS_CODE
  const isError = types.isNativeError(value)
  const isKnown = isError ? ERRORS.includes(value.constructor) : Array.isArray(value) || isPlainObject(value)
  const parts = Object.entries(Object.getOwnPropertyDescriptors(value)).map(([name, part]): [string, unknown] => {
    if (isError && name === 'stack') return [name, null]
    return [name, 'value' in part ? copyData(part.value, left - 1) : HAS_CODE]
  })
  if (!isKnown || parts.some(([, part]) => part === HAS_CODE)) return HAS_CODE
  if (isError) return value
  return Array.isArray(value) ? Object.assign([], Object.fromEntries(parts)) : Object.fromEntries(parts)
}
