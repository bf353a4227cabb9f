import type { Options } from '../options/options.ts'
import { createAddressList } from '../util/ip-ranges.ts'

/**
 * Whether the forwarded headers from an address are trusted. `hop` counts the proxies, from the connection on. A
 * connection through a socket file has no address, and neither has a closed one.
 */
export type TrustProxy = (address: string | undefined, hop: number) => boolean

const LOOPBACK = '127.0.0.1'

/**
 * Creates the check for the option `trustProxy`; null if it trusts no proxy. A connection through the socket file
 * counts as 127.0.0.1.
 */
export function createTrustProxy(trusted: Options['trustProxy'], isOnSocketFile: () => boolean): TrustProxy | null {
  if (trusted === false) return null
  if (trusted === true) return () => true
  const isTrusted = typeof trusted === 'function' ? trusted : trustList(trusted)
  return (address, hop) =>
    address === undefined ? isOnSocketFile() && isTrusted(LOOPBACK, hop) : isTrusted(address, hop)
}

function trustList(trusted: string | string[]): TrustProxy {
  const list = createAddressList((typeof trusted === 'string' ? trusted.split(',') : trusted).map((one) => one.trim()))
  return (address) => address !== undefined && list.includes(address)
}
