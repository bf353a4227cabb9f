import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { originalOf } from '../http/request-url.ts'
import { recordLog } from './log-recorder.ts'
import { createRecorder, type Recording } from './recorder.ts'
import { recordReply } from './reply-recorder.ts'
import { type KeptAddress, recordRequest } from './request-recorder.ts'

/** A read of a value that identifies a visitor. */
export interface VisitorRead {
  /** The property that was read: `request.headers.cookie`, `request.session`, `context.user`, `reply.getHeader`. */
  property: string
  /** Its stack leads to the line that read the property. */
  error: Error
}

export interface RecordedRequest extends KeptAddress {
  request: FastifyRequest
  reply: FastifyReply
  /** The merged results of the guards. */
  context: Record<string, unknown>
  /** Whether the route has guards. Each read of the context is then a read of the visitor. */
  hasGuards: boolean
}

/** The objects that the loads of a page get in place of the request's own, and the first read that they noted. */
export interface ReadRecorder {
  request: FastifyRequest
  reply: FastifyReply
  context: Record<string, unknown>
  inRequest: Recording['inRequest']
  /** The headers that the loads have set, by their names in lower case. */
  readonly written: ReadonlyMap<string, string>
  /** The first read; null if there was none so far. A promise in the data may still read something. */
  readonly firstRead: VisitorRead | null
}

/**
 * Creates recorders for a request whose response should be stored for all visitors. A recorder behaves like its
 * original. The response may be stored if `firstRead` is still null after the render. Decision 049 lists the limits.
 * Call it in the async context of the request.
 */
export function recordReads({ request, reply, context, hasGuards, ...address }: RecordedRequest): ReadRecorder {
  let firstRead: VisitorRead | null = null
  const recorders = new Map<object, object>()
  const inRequest = AsyncLocalStorage.snapshot()
  // After a read, the response is the visitor's: hooks that a method runs, such as those of `send`, find their stores.
  const call = <Result>(work: () => Result) => (firstRead ? inRequest(work) : work())
  const recording: Recording = {
    note(property) {
      firstRead ??= { property, error: captureRead(property, recording.note) }
    },
    inRequest,
    recorderOf(value) {
      if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) return value
      const existing = recorders.get(value)
      if (existing) return existing
      const log = [request.log, reply.log].find((log) => log === value)
      if (typeof value !== 'function' && !log) return value
      const created = log ? recordLog(log, recording) : callWithOriginal(value, recorders, call)
      recorders.set(value, created)
      return created
    },
  }
  const recordedRequest = recordRequest(request, address, recording)
  recorders.set(request, recordedRequest)
  const written = new Map<string, string>()
  const recordedReply = recordReply(reply, recordedRequest, written, recording)
  recorders.set(reply, recordedReply)
  const recordedContext = { name: 'context', original: () => context, shared: () => null }
  return {
    request: recordedRequest,
    reply: recordedReply,
    context: hasGuards ? createRecorder(recordedContext, recording) : context,
    inRequest,
    written,
    get firstRead() {
      return firstRead
    },
  }
}

/**
 * Returns a function that calls `method` with the original as `this`. Private fields and `WeakMap`s then work in it.
 * It returns the recorder where the method returns the original.
 */
function callWithOriginal(
  method: object,
  recorders: ReadonlyMap<object, object>,
  call: Recording['inRequest'],
): object {
  // The caller has checked that it is a function.
  return new Proxy(method as (...values: unknown[]) => unknown, {
    apply(target, self, args) {
      const result = call(() => Reflect.apply(target, originalOf<unknown>(self), args))
      return typeof result === 'object' && result !== null ? (recorders.get(result) ?? result) : result
    },
  })
}

/** The number of frames in a stack. A plugin may read the property for the load, several calls below it. */
const MAX_FRAMES = 50

function captureRead(property: string, caller: (property: string) => void): Error {
  const error = new Error(`${property} was read`)
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = MAX_FRAMES
  Error.captureStackTrace(error, caller)
  Error.stackTraceLimit = before
  return error
}
