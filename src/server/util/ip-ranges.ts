import { BlockList, isIP } from 'node:net'

const RANGES: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

const MAX_KNOWN = 1_000

/** Is it an address of this machine or of the network around it? */
export function isPrivateAddress(address: string): boolean {
  return near.includes(address)
}

/** An address, a subnet like `10.0.0.0/8`, or one of the names for several. */
export function isAddressRange(text: string): boolean {
  if (Object.hasOwn(RANGES, text)) return true
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  return version !== 0 && (prefix === undefined || (Number(prefix) > 0 && Number(prefix) <= maxPrefix(version)))
}

export interface AddressList {
  includes(address: string): boolean
}

export function createAddressList(ranges: readonly string[]): AddressList {
  const list = new BlockList()
  for (const range of ranges.flatMap((one) => RANGES[one] ?? one)) {
    const [address = '', prefix] = range.split('/')
    const version = isIP(address)
    list.addSubnet(address, Number(prefix ?? maxPrefix(version)), familyOf(version))
  }
  // Asked of each request, and a check takes microseconds. Visitors may be asked for, too: what is kept is bounded.
  const known = new Map<string, boolean>()
  return {
    includes(text) {
      const answer = known.get(text)
      if (answer !== undefined) return answer
      // Of a link-local address the list knows no `%eth0`.
      const [address = ''] = text.split('%', 1)
      const version = isIP(address)
      if (version === 0) return false
      const isListed = list.check(address, familyOf(version))
      if (known.size >= MAX_KNOWN) known.clear()
      known.set(text, isListed)
      return isListed
    },
  }
}

const near = createAddressList(['loopback', 'linklocal', 'uniquelocal'])

function maxPrefix(version: number): number {
  return version === 6 ? 128 : 32
}

function familyOf(version: number): 'ipv4' | 'ipv6' {
  return version === 6 ? 'ipv6' : 'ipv4'
}
