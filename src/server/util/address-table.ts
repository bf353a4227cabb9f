import { isIPv6 } from 'node:net'

/**
 * Returns a function that gives each address its own value. All addresses of an IPv6 network (/64) share one. When
 * there are more than `max` values, the one that was asked for least recently is forgotten.
 */
export function createAddressTable<Value>(max: number, create: () => Value): (address: string) => Value {
  /** In the order in which they were last asked for. */
  const values = new Map<string, Value>()
  return (address) => {
    const group = addressGroup(address)
    const value = values.get(group) ?? create()
    values.delete(group)
    values.set(group, value)
    const [oldest] = values.keys()
    if (values.size > max && oldest !== undefined) values.delete(oldest)
    return value
  }
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
const GROUPS = 8
const NETWORK_GROUPS = 4

/**
 * Returns the key under which limits count a client: the IPv4 address, also if it is in IPv6 notation, or the /64 network
 * of an IPv6 address, because one client usually has all addresses of its network.
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
