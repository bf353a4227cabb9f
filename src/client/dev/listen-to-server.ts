// Receives the messages of the development server.

import type { DevMessage } from '../../shared/wire/dev-protocol.ts'

export interface ListenInput {
  base: string
  /** Identifies the last change that the page has; empty for a page that only waits for the next change. */
  since: string
  onMessage(message: DevMessage): void
}

/** A message of the server with the position of the last change. */
interface Sent {
  message: DevMessage
  id: string
}

/**
 * Calls `onMessage` with each message. All tabs of a site share one connection, because browsers allow six per host
 * over HTTP/1.1: the tab that has a lock passes the messages on. When it is closed, the next one gets the lock.
 * Without locks, which browsers have only in secure contexts, each tab has its own connection.
 */
export function listenToServer({ base, since, onMessage }: ListenInput): void {
  const name = `hydrant-dev ${base}`
  const channel = 'locks' in navigator ? new BroadcastChannel(name) : null
  let last = since
  let events: EventSource | null = connect()
  let hasLock = false
  /** Changes that another tab has passed on before this tab's own connection has brought the page up to date. */
  let early: Sent[] = []

  function receive({ message, id }: Sent) {
    if (message.type === 'errors') return onMessage(message)
    if (!isAfter(id, last)) return
    last = id
    onMessage(message)
  }

  function connect(): EventSource {
    const source = new EventSource(`${base}/_hydrant/dev${last && `?since=${last}`}`)
    source.addEventListener('message', ({ data, lastEventId: id }: MessageEvent<string>) => {
      // The development server has sent the message.
      const sent: Sent = { message: JSON.parse(data) as DevMessage, id }
      if (hasLock) channel?.postMessage(sent)
      receive(sent)
      // The first message after those that the page has missed.
      if (!hasLock && channel && sent.message.type === 'errors') leaveToOthers(id)
    })
    return source
  }

  function leaveToOthers(position: string) {
    last = position
    events?.close()
    events = null
    for (const sent of early) receive(sent)
    early = []
  }

  if (!channel) return
  channel.addEventListener('message', ({ data }: MessageEvent<Sent>) => {
    if (events === null) receive(data)
    else if (data.message.type !== 'errors') early.push(data)
  })
  void navigator.locks.request(name, () => {
    hasLock = true
    events ??= connect()
    // Until the page is left.
    return new Promise(() => {})
  })
}

/** Returns whether a position comes after another one. A server that was started again begins with new positions. */
function isAfter(position: string, other: string): boolean {
  const [started, count] = position.split('-')
  const [otherStarted, otherCount] = other.split('-')
  return started !== otherStarted || Number(count) > Number(otherCount)
}
