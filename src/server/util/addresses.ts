import { BlockList, isIP } from 'node:net'
import { memoize } from './memoize.ts'

/**
 * Parses a URL. Returns null for text that is not a URL.
 *
 * Does not use `URL.canParse`: in Node.js 20 and 22 it misreads characters beyond ASCII after some thousand calls, and
 * returns true where `new URL` throws.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_-]{1,63})*\.?$/i
const IPV6 = /^\[[0-9a-f:.]{2,45}\]$/i

/** Whether the text is a valid host name, or an IPv6 address in brackets. */
export function isHostName(name: string): boolean {
  return HOST_NAME.test(name) || IPV6.test(name)
}

const RANGES: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

const MAX_KNOWN = 1_000

/** Returns true for an address of this machine or of a private network. */
export function isPrivateAddress(address: string): boolean {
  return near.includes(address)
}

/** Returns true for an address, a subnet such as `10.0.0.0/8`, or a name of ranges such as `loopback`. */
export function isAddressRange(text: string): boolean {
  if (Object.hasOwn(RANGES, text)) return true
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  return version !== 0 && (prefix === undefined || (Number(prefix) > 0 && Number(prefix) <= maxPrefix(version)))
}

/** @param ranges Each is valid by `isAddressRange`. */
export function createAddressList(ranges: readonly string[]) {
  const list = new BlockList()
  for (const range of ranges.flatMap((one) => RANGES[one] ?? one)) {
    const [address = '', prefix] = range.split('/')
    // perf: `isIP` would compile an expression for version 6, 4 ms less for each start, commit 2a458410
    const version = address.includes(':') ? 6 : 4
    list.addSubnet(address, Number(prefix ?? maxPrefix(version)), familyOf(version))
  }
  // Visitors may be asked for too, so the number of answers is bounded.
  // perf: each request asks, 1.3 µs less for a known address, commit 7b7c185a
  return {
    includes: memoize(MAX_KNOWN, (text) => {
      // `BlockList` does not accept zone ids (`fe80::1%eth0`).
      const [address = ''] = text.split('%', 1)
      const version = isIP(address)
      return version !== 0 && list.check(address, familyOf(version))
    }),
  }
}

const near = createAddressList(['loopback', 'linklocal', 'uniquelocal'])

function maxPrefix(version: number): number {
  return version === 6 ? 128 : 32
}

function familyOf(version: number): 'ipv4' | 'ipv6' {
  return version === 6 ? 'ipv6' : 'ipv4'
}
