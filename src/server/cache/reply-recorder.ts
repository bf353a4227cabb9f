import type { FastifyReply, FastifyRequest } from 'fastify'
import { originalOf } from '../http/original-request.ts'
import { createRecorder, type Recording, type Shared } from './recorder.ts'

/** A method of the reply that returns the reply. */
type Chained = (...values: never[]) => FastifyReply

/** Creates a recorder for a reply. Setting a status or a header is not a read. */
export function recordReply(reply: FastifyReply, request: FastifyRequest, recording: Recording): FastifyReply {
  const methods = new Map<Chained, Chained>()

  /** Returns a method that changes the original and returns the recorder, whatever the original returns. */
  function chain(method: Chained): Shared {
    const apply = (target: Chained, self: unknown, args: never[]) => {
      Reflect.apply(target, originalOf(self), args)
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
