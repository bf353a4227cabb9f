import { isIPv6 } from 'node:net'

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
const GROUPS = 8
const NETWORK_GROUPS = 4

/**
 * Returns what a limit for each client counts an address as: an IPv4 address, also in IPv6 notation, as itself, and an
 * IPv6 address as its /64 network, as one client usually has all addresses of it.
 */
export function addressGroup(address: string): string {
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
