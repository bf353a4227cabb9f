import { createAddressTable } from '../util/address-table.ts'

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

  return (address: string): boolean => {
    const bucket = bucketOf(address)
    fill(bucket, maxPerAddress)
    fill(total, maxTotal)
    if (bucket.left < 1 || total.left < 1) return false
    bucket.left--
    total.left--
    return true
  }
}
