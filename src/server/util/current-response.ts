import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Returns the response that a connection sends now; null if there is none. */
export function currentResponse(socket: Socket): ServerResponse | null {
  // Node.js keeps it in `_httpMessage` and offers no public way to read it.
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null }
  return response ?? null
}
