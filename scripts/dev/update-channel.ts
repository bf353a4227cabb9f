import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DevMessage } from '../../src/shared/wire/dev-protocol.ts'
import { isSameOrigin } from './dev-access.ts'

/** Matches the URL of the channel, below any base. */
const CHANNEL_URL = /^(?:\/[^?]*)?\/_hydrant\/dev(?:\?|$)/
/** How many messages a page that reconnects can have missed. A page that missed more loads its document again. */
const MAX_KEPT = 100

/** A channel of server-sent events that sends the changes of the site to open pages. */
export interface UpdateChannel {
  /** Responds to a request for the channel. Returns false for any other request. */
  respond(request: IncomingMessage, response: ServerResponse): boolean
  /** Sends a message to all open pages. */
  send(message: DevMessage): void
  /** Identifies the last message. A page that was loaded now has missed none before it. */
  position(): string
  close(): void
}

export function createUpdateChannel(): UpdateChannel {
  const listeners = new Set<ServerResponse>()
  // Differs after each start, so that a page of an earlier server reloads.
  const started = Date.now().toString(36)
  const kept: DevMessage[] = []
  let count = 0
  const position = () => `${started}-${count}`
  const eventOf = (message: DevMessage, id: string) => `id: ${id}\ndata: ${JSON.stringify(message)}\n\n`

  /** Returns the messages after a position; null if they are not known. */
  function since(seen: string): readonly DevMessage[] | null {
    const [of, number] = seen.split('-')
    const missed = count - Number(number)
    if (of !== started || !(missed >= 0 && missed <= kept.length)) return null
    return missed === 0 ? [] : kept.slice(-missed)
  }

  return {
    position,
    respond(request, response) {
      if (!CHANNEL_URL.test(request.url ?? '')) return false
      if (!isSameOrigin(request.headers)) {
        response.writeHead(403, { 'content-type': 'text/plain' }).end('Only pages of this server may listen.\n')
        return true
      }
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      const asked = new URL(request.url ?? '', 'http://localhost').searchParams.get('since')
      const seen = request.headers['last-event-id'] ?? asked
      const missed = typeof seen === 'string' ? since(seen) : []
      const messages: readonly DevMessage[] = missed ?? [{ type: 'reload' }]
      response.write(`retry: 500\nid: ${position()}\n\n`)
      for (const message of messages) response.write(eventOf(message, position()))
      listeners.add(response)
      response.on('close', () => listeners.delete(response))
      return true
    },
    send(message) {
      count++
      kept.push(message)
      if (kept.length > MAX_KEPT) kept.shift()
      const event = eventOf(message, position())
      for (const listener of listeners) listener.write(event)
    },
    close() {
      for (const listener of listeners) listener.end()
    },
  }
}
