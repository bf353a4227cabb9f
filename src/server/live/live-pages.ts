import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
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
   * @param since The position of the page; null for a client that only wants to hear of what follows.
   * @param address What the limit of an address counts: see `addressGroup`.
   * @returns Null if this process, or this address, has as many streams as it may have, and after `end`.
   */
  open(topics: readonly string[], since: string | null, address: string): Readable | null
  /**
   * Makes the pages of this process with one of the topics refresh. `EVERY_TAG` is all topics.
   *
   * @param isRecorded Whether the store has recorded it.
   */
  publish(topics: readonly string[], isRecorded: boolean): void
  /**
   * Begins a publication: until the returned function is called, no stream hears of a position without a refresh, because the
   * store may have recorded what is not published here yet.
   */
  begin(): () => void
  /** Returns the number of open streams that have the topic (all). */
  count(topic?: string): number
  /** Ends all streams. No others are opened later. */
  end(): void
}

export interface LiveLimits {
  /** Streams of this process. */
  maxLiveStreams: number
  /** Streams of one client address, or of one IPv6 network. */
  maxLiveStreamsPerAddress: number
}

/** One open page. */
interface Stream {
  body: Readable
  topics: readonly string[]
  address: string
  endsAt: number
  hasEnded: boolean
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
  keepRequestsYoung()
  const history = createHistory(store)
  const byTopic = new Map<string, Set<Stream>>()
  const byAddress = new Map<string, number>()
  const groups = Array.from({ length: GROUPS }, () => new Set<Stream>())
  const waiting = new Set<Stream>()
  /** Goes on with what is added later. A new one each time would pass all that was deleted before. */
  let inTurn = waiting.values()
  let count = 0
  let next = 0
  let beat: NodeJS.Timeout | undefined
  let hasEnded = false
  /** Publications that have begun. */
  let begun = 0

  /** Returns the line that tells a position, or a comment, which keeps a connection alive too. */
  const positionLine = () => (begun > 0 ? ':\n' : `id: ${history.position()}\n`)

  function send(stream: Stream, event: string) {
    const { body, hasEnded } = stream
    if (hasEnded) return
    if (body.readableLength > MAX_UNREAD_BYTES) body.destroy()
    else body.push(event)
  }

  /** Ends a stream. Drops it if the client has not read it to its end since an earlier call. */
  function finish(stream: Stream) {
    const { body, hasEnded } = stream
    if (hasEnded) return void body.destroy()
    stream.hasEnded = true
    body.push(null)
  }

  /** Makes pages refresh, in the pace. */
  function refresh(sets: readonly Iterable<Stream>[]) {
    for (const streams of sets) for (const stream of streams) waiting.add(stream)
    pace.run(() => {
      const { value: stream, done } = inTurn.next()
      if (done) {
        inTurn = waiting.values()
        return false
      }
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
      if (stream.endsAt <= now) finish(stream)
      else if (!waiting.has(stream)) send(stream, `${positionLine()}\n`)
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

  function publish(topics: readonly string[], isRecorded?: boolean) {
    history.add(topics, isRecorded)
    if (count === 0) return
    refresh(topics.includes(EVERY_TAG) ? groups : topics.map((topic) => byTopic.get(topic) ?? []))
  }

  store?.onInvalidate((topics) => publish(topics))

  return {
    position: history.position,
    publish,
    begin() {
      begun++
      return () => void begun--
    },
    count: (topic) => (topic === undefined ? count : (byTopic.get(topic)?.size ?? 0)),
    open(topics, since, address) {
      if (hasEnded) return null
      if (count >= maxLiveStreams) return refuse('maxLiveStreams')
      const ofAddress = byAddress.get(address) ?? 0
      if (ofAddress >= maxLiveStreamsPerAddress) return refuse('maxLiveStreamsPerAddress')
      // The ends are spread as well: many streams may begin at once.
      const endsAt = Date.now() + MAX_AGE_MS * (0.8 + Math.random() * 0.2)
      const stream: Stream = { body: new Readable({ read() {} }), topics, address, endsAt, hasEnded }
      stream.body.once('close', () => leave(stream))
      byAddress.set(address, ofAddress + 1)
      if (count++ === 0) beat = setInterval(beatGroup, HEARTBEAT_MS / GROUPS).unref()
      groups[count % GROUPS]?.add(stream)
      for (const topic of topics) byTopic.set(topic, (byTopic.get(topic) ?? new Set()).add(stream))
      const isCurrent = since === null || history.isCurrent(topics, since)
      // The first bytes are sent at once, so that the browser knows that the stream is open.
      send(stream, `retry: ${RETRY_MS}\n${isCurrent ? positionLine() : ''}\n`)
      if (!isCurrent) refresh([[stream]])
      return stream.body
    },
    end() {
      hasEnded = true
      pace.stop()
      const retry = RETRY_MS + count * RETRY_PER_STREAM_MS
      for (const group of groups)
        for (const stream of group) {
          send(stream, `retry: ${retry}\n\n`)
          finish(stream)
        }
    },
  }
}

/**
 * V8 learns from objects that live long, such as the requests of open streams, to create their like in the old generation. There
 * they keep what they refer to alive, which the next collections of the young generation copy, for short requests as well.
 *
 * perf: with 2,500 open streams a collection takes 2 ms in place of 11 ms, Node.js 20
 */
function keepRequestsYoung() {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

/** What was published since a time, by the numbers of a store, or of this process. */
interface Epoch {
  epoch: string
  /** Short: the epoch of a store contains the name of its server. */
  name: string
  versions: TagVersions
}

function createEpoch(epoch: string): Epoch {
  const name = createHash('sha256').update(epoch).digest('base64url').slice(0, 8)
  return { epoch, name, versions: new TagVersions() }
}

/** Keeps what was published, so that a page which was not connected hears of it. */
function createHistory(store: Pick<SharedStore, 'seen'> | null) {
  const own = { ...createEpoch(randomUUID()), sequence: 0 }
  let ofStore = createEpoch('')
  /** The sequence of the store when something was published last. */
  let last = 0
  /** The sequence of the store while it has not recorded what was published. */
  let incomplete: number | null = null

  /** Returns null before the first contact with a store, and without one. */
  function shared(): (Epoch & Versions) | null {
    const seen = store?.seen() ?? null
    if (seen === null) return null
    if (ofStore.epoch !== seen.epoch) {
      ofStore = createEpoch(seen.epoch)
      // It is not known what was published before.
      ofStore.versions.invalidateAll(seen.sequence)
      last = seen.sequence
      incomplete = null
    }
    return { ...ofStore, sequence: seen.sequence }
  }

  return {
    position() {
      const of = shared()
      // The position of the store would not tell pages that there is something new.
      const { name, sequence } = of === null || of.sequence === incomplete ? own : of
      return `${name}.${sequence}`
    },
    /** @param isRecorded Whether the store has recorded it (if its sequence has changed). */
    add(topics: readonly string[], isRecorded?: boolean) {
      note(own, topics, ++own.sequence)
      const before = ofStore.epoch
      const of = shared()
      if (of === null) return
      const { epoch, sequence } = of
      const isIn = isRecorded ?? (epoch !== before || sequence !== last)
      note(of, topics, isIn ? sequence : sequence + 1)
      last = sequence
      if (!isIn) incomplete = sequence
    },
    /** Whether it is known that none of the topics was published after a position. */
    isCurrent(topics: readonly string[], position: string) {
      const [name, number] = position.split('.')
      const since = Number(number)
      const of = [own, shared()].find((epoch) => epoch?.name === name)
      return of != null && since <= of.sequence && of.versions.areCurrent(topics, since)
    },
  }
}

function note({ versions }: Epoch, topics: readonly string[], at: number) {
  if (topics.includes(EVERY_TAG)) versions.invalidateAll(at)
  else versions.invalidate(topics, at)
}
