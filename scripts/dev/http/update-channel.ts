import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DevError, DevErrors, DevReload, DevUpdate } from '../../../src/shared/wire/dev-protocol.ts'
import { isSameOrigin } from './dev-access.ts'

/** Matches the URL of the channel, below any base. */
const CHANNEL_URL = /^(?:\/[^?]*)?\/_hydrant\/dev(?:\?|$)/
/** How many messages a page that reconnects can have missed. A page that missed more loads its document again. */
const MAX_KEPT = 100

/** A channel of server-sent events that sends the changes of the site to open pages. */
export type UpdateChannel = ReturnType<typeof createUpdateChannel>

/** @param currentErrors Returns the errors that a page gets when it connects. */
export function createUpdateChannel(currentErrors: () => readonly DevError[]) {
  const listeners = new Set<ServerResponse>()
  // Differs after each start, so that a page of an earlier server reloads.
  const started = Date.now().toString(36)
  const kept: (DevUpdate | DevReload)[] = []
  let count = 0
  const position = () => `${started}-${count}`
  const eventOf = (message: DevUpdate | DevReload, id: string) => `id: ${id}\ndata: ${JSON.stringify(message)}\n\n`
  const errorsOf = (errors: readonly DevError[]) =>
    `data: ${JSON.stringify({ type: 'errors', errors } satisfies DevErrors)}\n\n`

  /** Returns the messages after a position; null if they are not known. */
  function since(seen: string): readonly (DevUpdate | DevReload)[] | null {
    const [of, number] = seen.split('-')
    const missed = count - Number(number)
    if (of !== started || !(missed >= 0 && missed <= kept.length)) return null
    return missed === 0 ? [] : kept.slice(-missed)
  }

  return {
    /** Identifies the last message. A page that was loaded now has missed none before it. */
    position,
    /** Responds to a request for the channel. Returns false for any other request. */
    respond(request: IncomingMessage, response: ServerResponse) {
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
      const [, query] = (request.url ?? '').split('?')
      const asked = new URLSearchParams(query).get('since')
      const seen = request.headers['last-event-id'] ?? asked
      const missed = typeof seen === 'string' ? since(seen) : []
      const messages: readonly (DevUpdate | DevReload)[] = missed ?? [{ type: 'reload' }]
      response.write(`retry: 500\nid: ${position()}\n\n`)
      for (const [index, message] of messages.entries()) {
        response.write(eventOf(message, `${started}-${count - messages.length + index + 1}`))
      }
      const errors = currentErrors()
      if (errors.length > 0 || seen !== null) response.write(errorsOf(errors))
      listeners.add(response)
      response.on('close', () => listeners.delete(response))
      return true
    },
    /** Sends a change to all open pages. A page that is not connected gets it later. */
    send(message: DevUpdate | DevReload) {
      count++
      kept.push(message)
      if (kept.length > MAX_KEPT) kept.shift()
      const event = eventOf(message, position())
      for (const listener of listeners) listener.write(event)
    },
    /** Sends the current errors to all open pages. */
    sendErrors(errors: readonly DevError[]) {
      for (const listener of listeners) listener.write(errorsOf(errors))
    },
    close() {
      for (const listener of listeners) listener.end()
    },
  }
}
