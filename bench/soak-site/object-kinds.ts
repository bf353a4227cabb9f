import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'

const timer = setTimeout(() => {}, 0)
clearTimeout(timer)

/** Classes whose objects belong to a request, and must go with it. Timers count whether they keep the process or not. */
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
