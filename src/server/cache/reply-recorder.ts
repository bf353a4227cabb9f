import type { FastifyReply, FastifyRequest } from 'fastify'
import { originalOf } from '../http/request-url.ts'
import { createRecorder, type Recording, type Shared } from './recorder.ts'

/** A method of the reply that returns the reply. */
type Chained = (...values: never[]) => FastifyReply

/**
 * Creates a recorder for a reply. Setting a status or a header is not a read.
 *
 * @param written Gets the headers that are set through the recorder. Hooks can set other headers of the reply
 *   at the same time.
 */
export function recordReply(
  reply: FastifyReply,
  request: FastifyRequest,
  written: Map<string, string>,
  recording: Recording,
): FastifyReply {
  const methods = new Map<Chained, Chained>()

  function keepWritten(names: readonly string[]) {
    for (const name of names) {
      const value = reply.getHeader(name)
      if (value === undefined) written.delete(name)
      else written.set(name, String(value))
    }
  }

  /** Returns a method that changes the original and returns the recorder, whatever the original returns. */
  function chain(method: Chained): Shared {
    const apply = (target: Chained, self: unknown, args: never[]) => {
      Reflect.apply(target, originalOf(self), args)
      keepWritten(headerNamesIn(args[0]))
      return recorder
    }
    const chained = methods.get(method) ?? new Proxy(method, { apply })
    methods.set(method, chained)
    return { value: chained }
  }

  function shared(property: PropertyKey): Shared | null {
    switch (property) {
      case 'header':
      case 'headers':
      case 'removeHeader':
      case 'code':
      case 'status':
      case 'type':
        return chain(reply[property])
      case 'statusCode':
      case 'sent':
      case 'elapsedTime':
      case 'server':
        return { value: reply[property] }
      case 'request':
        return { value: request }
      case 'routeOptions':
        return { value: request.routeOptions }
      case 'log':
      case 'then':
        return { value: recording.recorderOf(reply[property]) }
      default:
        return null
    }
  }

  const recorder = createRecorder({ name: 'reply', original: () => reply, shared }, recording)
  return recorder
}

/** Returns the names of headers in the first argument of a method: one name, or an object with several. */
function headerNamesIn(given: unknown): string[] {
  if (typeof given === 'string') return [given.toLowerCase()]
  return typeof given === 'object' && given !== null ? Object.keys(given).map((name) => name.toLowerCase()) : []
}
