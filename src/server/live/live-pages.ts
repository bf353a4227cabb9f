import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { UNKNOWN_POSITION } from '../../shared/wire/boot.ts'
import { TagVersions } from '../cache/page-cache.ts'
import { EVERY_TAG, type SharedStore, type Versions } from '../cache/shared/shared-store.ts'
import { createPace, type Pace } from './pace.ts'

/**
 * The open pages of a site in this process, each with the topics that it shows, and what was published of late.
 *
 * A position says how much of that a page contains: `<epoch>.<number>`. All processes with the same store have the same
 * positions, so a page of one process may be followed by another.
 */
export interface LivePages {
  /** The position now. Taken before the loads of a page run. */
  position(): string
  /**
   * Opens the stream of a page: server-sent events, one for each time that the page has to refresh, with the position in
   * `id`. The first one follows at once if a topic was published after `since`, or if that is not known.
   *
   * @param since The position of the page, or `UNKNOWN_POSITION`.
   * @param address The client's address.
   * @returns Null if this process, or this address, has as many streams as it may have.
   */
  open(topics: readonly string[], since: string, address: string): Readable | null
  /** Makes the pages of this process with one of the topics refresh. `EVERY_TAG` is all topics. */
  publish(topics: readonly string[]): void
  /** Returns the number of open streams that have the topic (all). */
  count(topic?: string): number
  /** Ends all streams, and those that are opened later. */
  end(): void
}

export interface LiveLimits {
  /** Streams of this process. */
  maxLiveStreams: number
  /** Streams of one client address. */
  maxLiveStreamsPerAddress: number
}

/** One open page. */
interface Stream {
  body: Readable
  topics: readonly string[]
  address: string
  endsAt: number
}

/** Proxies close a connection that is silent for longer: nginx, Apache and many others after a minute. */
const HEARTBEAT_MS = 25_000
/** The streams get their heartbeats in so many groups, so that no turn of the event loop writes to all of them. */
const GROUPS = 100
/** After this time a browser opens a new stream: guards see the request for it, for example that a session has ended. */
const MAX_AGE_MS = 900_000
/** A client that reads nothing gets no more than this. */
const MAX_UNREAD_BYTES = 4_096
/** Browsers wait for a random part of this before they open an ended stream again. It grows with the streams that end. */
const RETRY_MS = 2_000
const RETRY_PER_STREAM_MS = 2

/**
 * @param store The store of the page cache, which tells of other processes; null for a process on its own.
 * @param onRefused Called with the limit for each stream that is not opened.
 * @param pace Replaces the pace in tests.
 */
export function createLivePages(
  store: Pick<SharedStore, 'onInvalidate' | 'seen'> | null,
  { maxLiveStreams, maxLiveStreamsPerAddress }: LiveLimits,
  onRefused: (limit: keyof LiveLimits) => void,
  pace: Pace = createPace(),
): LivePages {
  const history = createHistory(store)
  const byTopic = new Map<string, Set<Stream>>()
  const byAddress = new Map<string, number>()
  const groups = Array.from({ length: GROUPS }, () => new Set<Stream>())
  const waiting = new Set<Stream>()
  let count = 0
  let next = 0
  let beat: NodeJS.Timeout | undefined
  let hasEnded = false

  function send(stream: Stream, event: string) {
    const { body } = stream
    if (body.readableLength > MAX_UNREAD_BYTES) body.destroy()
    else body.push(event)
  }

  /** Makes pages refresh, in the pace. */
  function refresh(streams: Iterable<Stream>) {
    for (const stream of streams) waiting.add(stream)
    pace.run(() => {
      const [stream] = waiting
      if (stream === undefined) return false
      waiting.delete(stream)
      send(stream, `id: ${history.position()}\ndata: refresh\n\n`)
      return waiting.size > 0
    })
  }

  function beatGroup() {
    const now = Date.now()
    next = (next + 1) % GROUPS
    // A page that has to refresh hears of the position with that.
    for (const stream of groups[next] ?? [])
      if (stream.endsAt <= now) stream.body.push(null)
      else if (!waiting.has(stream)) send(stream, `id: ${history.position()}\n\n`)
  }

  function leave(stream: Stream) {
    for (const group of groups) if (group.delete(stream)) break
    waiting.delete(stream)
    for (const topic of stream.topics) {
      const streams = byTopic.get(topic)
      streams?.delete(stream)
      if (streams?.size === 0) byTopic.delete(topic)
    }
    const left = (byAddress.get(stream.address) ?? 1) - 1
    if (left > 0) byAddress.set(stream.address, left)
    else byAddress.delete(stream.address)
    if (--count === 0) clearInterval(beat)
  }

  function refuse(limit: keyof LiveLimits): null {
    onRefused(limit)
    return null
  }

  function publish(topics: readonly string[]) {
    history.add(topics)
    if (count === 0) return
    if (topics.includes(EVERY_TAG)) for (const group of groups) refresh(group)
    else for (const topic of topics) refresh(byTopic.get(topic) ?? [])
  }

  store?.onInvalidate(publish)

  return {
    position: history.position,
    publish,
    count: (topic) => (topic === undefined ? count : (byTopic.get(topic)?.size ?? 0)),
    open(topics, since, address) {
      if (count >= maxLiveStreams || hasEnded) return refuse('maxLiveStreams')
      const ofAddress = byAddress.get(address) ?? 0
      if (ofAddress >= maxLiveStreamsPerAddress) return refuse('maxLiveStreamsPerAddress')
      // The ends are spread as well: many streams may begin at once.
      const endsAt = Date.now() + MAX_AGE_MS * (0.8 + Math.random() * 0.2)
      const stream: Stream = { body: new Readable({ read() {} }), topics, address, endsAt }
      stream.body.once('close', () => leave(stream))
      byAddress.set(address, ofAddress + 1)
      if (count++ === 0) beat = setInterval(beatGroup, HEARTBEAT_MS / GROUPS).unref()
      groups[count % GROUPS]?.add(stream)
      for (const topic of topics) byTopic.set(topic, (byTopic.get(topic) ?? new Set()).add(stream))
      const isCurrent = since === UNKNOWN_POSITION || history.isCurrent(topics, since)
      // The first bytes are sent at once, so that the browser knows that the stream is open.
      send(stream, `retry: ${RETRY_MS}\n${isCurrent ? `id: ${history.position()}\n` : ''}\n`)
      if (!isCurrent) refresh([stream])
      return stream.body
    },
    end() {
      hasEnded = true
      pace.stop()
      const retry = RETRY_MS + count * RETRY_PER_STREAM_MS
      for (const group of groups)
        for (const { body } of group) {
          body.push(`retry: ${retry}\n\n`)
          body.push(null)
        }
    },
  }
}

/** Keeps what was published, so that a page which was not connected hears of it. */
function createHistory(store: Pick<SharedStore, 'seen'> | null) {
  const own: Versions = { epoch: randomUUID(), sequence: 0 }
  const versions = new TagVersions()
  let named: { epoch: string; name: string } | null = null
  const now = () => store?.seen() ?? own
  let last = 0

  /** Returns a short name: the epoch of a store contains the name of its server. */
  function nameOf(epoch: string): string {
    if (named?.epoch !== epoch)
      named = { epoch, name: createHash('sha256').update(epoch).digest('base64url').slice(0, 8) }
    return named.name
  }

  return {
    position() {
      const { epoch, sequence } = now()
      return `${nameOf(epoch)}.${sequence}`
    },
    add(topics: readonly string[]) {
      own.sequence++
      const { sequence } = now()
      // A store that could not record it has the same position as before.
      const at = sequence === last ? sequence + 1 : sequence
      last = sequence
      if (topics.includes(EVERY_TAG)) versions.invalidateAll(at)
      else versions.invalidate(topics, at)
    },
    /** Whether it is known that none of the topics was published after a position. */
    isCurrent(topics: readonly string[], position: string) {
      const { epoch, sequence } = now()
      const [name, since] = position.split('.')
      return name === nameOf(epoch) && Number(since) <= sequence && versions.areCurrent(topics, Number(since))
    },
  }
}
