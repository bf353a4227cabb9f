import { addressGroup } from '../util/address-group.ts'

const MINUTE_MS = 60_000
const MAX_ADDRESSES = 10_000

export interface RateLimits {
  /** A minute, from one address; of IPv6, from one /64. */
  maxPerAddress: number
  /** A minute, from all together. */
  maxTotal: number
}

interface Bucket {
  left: number
  at: number
}

/**
 * Says of each request whether it is within the limits, and counts it if so. Each limit is a bucket that holds as many as a
 * minute allows and fills again evenly. Of addresses the latest are remembered.
 */
export function createRateLimit({ maxPerAddress, maxTotal }: RateLimits, now = () => performance.now()) {
  const addresses = new Map<string, Bucket>()
  const total: Bucket = { left: maxTotal, at: now() }

  function fill(bucket: Bucket, most: number) {
    const time = now()
    bucket.left = Math.min(most, bucket.left + ((time - bucket.at) * most) / MINUTE_MS)
    bucket.at = time
  }

  return (address: string): boolean => {
    const group = addressGroup(address)
    const own = addresses.get(group) ?? { left: maxPerAddress, at: now() }
    addresses.delete(group)
    addresses.set(group, own)
    const [oldest] = addresses.keys()
    if (addresses.size > MAX_ADDRESSES && oldest !== undefined) addresses.delete(oldest)
    fill(own, maxPerAddress)
    fill(total, maxTotal)
    if (own.left < 1 || total.left < 1) return false
    own.left--
    total.left--
    return true
  }
}
