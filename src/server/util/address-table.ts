import { addressGroup } from './address-group.ts'

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
