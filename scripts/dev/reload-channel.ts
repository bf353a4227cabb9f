import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DevError, DevMessage } from '../../src/shared/wire/dev-protocol.ts'
import { isSameOrigin } from './dev-access.ts'

/** Matches the URL of the channel, below any base. */
const CHANNEL_URL = /^(?:\/[^?]*)?\/_hydrant\/dev(?:\?|$)/

/** A channel of server-sent events that makes open pages reload and shows them the current errors. */
export interface ReloadChannel {
  /** Responds to a request for the channel. Returns false for any other request. */
  respond(request: IncomingMessage, response: ServerResponse): boolean
  /** Makes all open pages reload. */
  announce(): void
  /** Sends the current errors to all open pages. */
  sendErrors(errors: readonly DevError[]): void
  close(): void
}

/** @param currentErrors Returns the errors that a page gets when it connects. */
export function createReloadChannel(currentErrors: () => readonly DevError[]): ReloadChannel {
  const listeners = new Set<ServerResponse>()
  // Differs after each start, so that a page of an earlier server reloads as well.
  const started = Date.now().toString(36)
  let count = 0
  const state = () => `${started}-${count}`
  const reload = () => `id: ${state()}\nevent: reload\ndata: ${state()}\n\n`

  return {
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
      const seen = request.headers['last-event-id']
      response.write(
        seen === undefined || seen === state() ? `retry: 500\nid: ${state()}\n\n` : `retry: 500\n${reload()}`,
      )
      const errors = currentErrors()
      if (errors.length > 0 || seen !== undefined) response.write(toEvent({ type: 'errors', errors }))
      listeners.add(response)
      response.on('close', () => listeners.delete(response))
      return true
    },
    announce() {
      count++
      for (const listener of listeners) listener.write(reload())
    },
    sendErrors(errors) {
      for (const listener of listeners) listener.write(toEvent({ type: 'errors', errors }))
    },
    close() {
      for (const listener of listeners) listener.end()
    },
  }
}

function toEvent(message: DevMessage): string {
  return `data: ${JSON.stringify(message)}\n\n`
}
