import type { IncomingMessage, ServerResponse } from 'node:http'
import { isSameOrigin } from './dev-access.ts'

/** Where browsers listen, behind whatever base. */
const CHANNEL_URL = /^(?:\/[^?]*)?\/_hydrant\/dev(?:\?|$)/

/** Tells open pages to load themselves again. */
export interface ReloadChannel {
  /** Answers if the request is meant for the channel; says whether it was. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
  /** What the pages show is out of date. */
  announce(): void
  close(): void
}

export function createReloadChannel(): ReloadChannel {
  const listeners = new Set<ServerResponse>()
  // Another after each start, so that a page of a server that ran before is out of date as well.
  const started = Date.now().toString(36)
  let count = 0
  const state = () => `${started}-${count}`
  const reload = () => `id: ${state()}\nevent: reload\ndata: ${state()}\n\n`

  return {
    answer(request, response) {
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
      listeners.add(response)
      response.on('close', () => listeners.delete(response))
      return true
    },
    announce() {
      count++
      for (const listener of listeners) listener.write(reload())
    },
    close() {
      for (const listener of listeners) listener.end()
    },
  }
}
