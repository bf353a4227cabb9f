import { isIPv6 } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { BUSY, sendBusy } from '../http/problem.ts'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'

const MINUTE_MS = 60_000
const MAX_ADDRESSES = 10_000

export interface RateLimits {
  /** Requests per minute from one address. An IPv6 network (/64) counts as one address. */
  maxPerAddress: number
  /** Requests per minute from all addresses together. */
  maxTotal: number
}

interface Bucket {
  /** How many requests are left; not a whole number while the bucket fills. */
  left: number
  /** When `left` was last computed, in milliseconds. */
  at: number
}

/**
 * Returns a function that says whether a request from an address is within the limits, and counts it if it is. Each
 * limit is a bucket that holds the requests of one minute and refills evenly.
 */
export function createRateLimit({ maxPerAddress, maxTotal }: RateLimits, now = () => performance.now()) {
  const bucketOf = createAddressTable<Bucket>(MAX_ADDRESSES, () => ({ left: maxPerAddress, at: now() }))
  const total: Bucket = { left: maxTotal, at: now() }

  function fill(bucket: Bucket, most: number) {
    const time = now()
    bucket.left = Math.min(most, bucket.left + ((time - bucket.at) * most) / MINUTE_MS)
    bucket.at = time
  }

  return (address: string | undefined): boolean => {
    const bucket = bucketOf(address)
    fill(bucket, maxPerAddress)
    fill(total, maxTotal)
    if (bucket.left < 1 || total.left < 1) return false
    bucket.left--
    total.left--
    return true
  }
}

/**
 * Returns a function that gives each address its own value. All addresses of an IPv6 network (/64) share one. When
 * there are more than `max` values, the one that was asked for least recently is forgotten.
 */
export function createAddressTable<Value extends object>(
  max: number,
  create: () => Value,
): (address: string | undefined) => Value {
  const values = new LRUCache<string, Value>({ maxSize: max, sizeCalculation: () => 1, memoMethod: create })
  return (address) => values.memo(addressGroup(address))
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
const GROUPS = 8
const NETWORK_GROUPS = 4

/**
 * Returns the key under which limits count a client: the IPv4 address, also if it is in IPv6 notation, or the /64 network
 * of an IPv6 address, because one client usually has all addresses of its network. A connection through a socket file has
 * no address, contrary to Fastify's type: all of them count as one client.
 */
export function addressGroup(address: string | undefined): string {
  if (address === undefined) return ''
  const [, mapped] = MAPPED.exec(address) ?? []
  if (mapped !== undefined) return mapped
  const bare = address.replace(/%.*$/, '')
  if (!isIPv6(bare)) return address
  const [head = '', tail] = bare.split('::')
  const before = groupsOf(head)
  const after = groupsOf(tail ?? '')
  const zeros = new Array<string>(GROUPS - before.length - after.length).fill('0')
  const network = [...before, ...zeros, ...after].slice(0, NETWORK_GROUPS)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

// The last two groups may be written as an IPv4 address. They never belong to the network.
function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]))
}

/** The interval of the timer that Node.js measures with. Each measured delay includes it. */
const RESOLUTION_MS = 10
/** How long a decision holds. A server that refuses requests recovers quickly. */
const SAMPLE_MS = 250

export interface SheddingInput {
  /** 0 turns load shedding off. */
  maxDelayMs: number
  /**
   * The path of the site's assets. They are never refused: they are cheap, and a page that has been sent needs them.
   */
  assets: string
  /** Called for each refused request. */
  onShed(): void
}

/** Adds a hook that responds with 503 while the event loop is late, so that accepted requests are answered in time. */
export function addLoadShedding(app: FastifyInstance, { maxDelayMs, assets, onShed }: SheddingInput) {
  if (maxDelayMs === 0) return
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let delayMs = 0
  const timer = setInterval(() => {
    // The mean is NaN if the process was suspended and has measured nothing.
    delayMs = Number.isNaN(histogram.mean) ? 0 : histogram.mean / 1e6 - RESOLUTION_MS
    histogram.reset()
  }, SAMPLE_MS).unref()
  const countRefused = addThrottledLine(app, (count) =>
    app.log.warn(
      { statusCode: BUSY, refused: count, delayMs: Math.round(delayMs) },
      `refused with ${BUSY}: ${countOf(count, 'request')}, because the event loop is more than ${maxDelayMs} ms late ("limits.maxEventLoopDelayMs")`,
    ),
  )
  app.addHook('onClose', async () => {
    clearInterval(timer)
    histogram.disable()
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (delayMs <= maxDelayMs || request.url.startsWith(assets)) return done()
    countRefused()
    onShed()
    sendBusy(reply)
  })
}
