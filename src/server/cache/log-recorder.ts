import { types } from 'node:util'
import type { FastifyBaseLogger } from 'fastify'
import { originalOf } from '../http/request-url.ts'
import { isPlainObject } from '../util/unknown-values.ts'
import { createRecorder, type Recording, type Shared } from './recorder.ts'

/** The properties of a logger that say nothing about the visitor. A logger may have levels of its own. */
const METHODS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent', 'isLevelEnabled'])

/** The levels of a logger of pino. */
interface WithLevels {
  levels?: { values?: Record<string, number> }
}

/** A function of a logger, called with any arguments. */
type LogMethod = (...values: unknown[]) => unknown

/**
 * Creates a recorder for the log of a request. Writing a line is not a read, even if the line contains the request:
 * `request.log.info({ req: request })`. Reading the bindings of the log is a read. The mixin of the log runs in the async
 * context of the request.
 */
export function recordLog(log: FastifyBaseLogger & WithLevels, recording: Recording): FastifyBaseLogger {
  const methods = new Map<unknown, LogMethod>()

  function methodOf(method: LogMethod, toResult: (result: unknown) => unknown): LogMethod {
    const existing = methods.get(method)
    if (existing) return existing
    const created = new Proxy(method, {
      apply(target, self, args: unknown[]) {
        const write = () => Reflect.apply(target, originalOf<unknown>(self), args.map(withOriginals))
        return toResult(args.every((value) => isInert(value)) ? recording.inRequest(write) : write())
      },
    })
    methods.set(method, created)
    return created
  }

  function shared(property: PropertyKey): Shared | null {
    if (property === 'level') return { value: log.level }
    const value: unknown = typeof property === 'string' ? Reflect.get(log, property) : undefined
    if (typeof value !== 'function') return null
    // The type of a function that is read by its name is not known.
    const method = value as LogMethod
    // A child has the bindings of its parent. pino's `child` returns a logger.
    if (property === 'child')
      return { value: methodOf(method, (child) => recordLog(child as FastifyBaseLogger, recording)) }
    const isLevel = METHODS.has(String(property)) || Object.hasOwn(log.levels?.values ?? {}, property)
    // The methods of some loggers return the logger.
    return isLevel ? { value: methodOf(method, (result) => (result === log ? recorder : result)) } : null
  }

  const recorder = createRecorder({ name: 'request.log', original: () => log, shared }, recording)
  return recorder
}

/**
 * Replaces recorders by their originals: in an argument, and in the properties of an argument that is a plain object.
 */
function withOriginals(argument: unknown): unknown {
  const original = originalOf(argument)
  if (original !== argument || !isPlainObject(argument)) return original
  const descriptors = Object.entries(Object.getOwnPropertyDescriptors(argument))
  const isRecorder = ([, { value }]: (typeof descriptors)[number]) => originalOf<unknown>(value) !== value
  if (!descriptors.some(isRecorder)) return argument
  return Object.fromEntries(Object.entries(argument).map(([key, value]) => [key, originalOf<unknown>(value)]))
}

/** The most levels of a value that is looked at. */
const MAX_DEPTH = 8

/**
 * Whether writing a value runs no code of the site. A getter may keep what it returns, and a load may return it too, so it
 * must not find the stores of the visitor.
 */
function isInert(value: unknown, left = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function'
  if (originalOf<unknown>(value) !== value) return true
  const isKnown = isPlainObject(value) || Array.isArray(value) || types.isNativeError(value)
  if (left === 0 || types.isProxy(value) || !isKnown || 'toJSON' in value) return false
  const descriptors = Object.entries(Object.getOwnPropertyDescriptors(value))
  return descriptors.every(([name, part]) => name === 'stack' || ('value' in part && isInert(part.value, left - 1)))
}
