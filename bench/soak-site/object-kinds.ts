import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'

const timer = setTimeout(() => {}, 0)
clearTimeout(timer)

/** Classes whose objects belong to a request and must be freed with it. All timers count, including unref'd ones. */
export const objectKinds = {
  Timeout: timer.constructor,
  Socket,
  IncomingMessage,
  ServerResponse,
  Readable,
  AbortSignal,
  Request,
  FormData,
  Blob,
}
