import { randomInt } from 'node:crypto'

export interface Order {
  number: string
  name: string
  /** In cents. */
  total: number
}

/** A placeholder for your order system, which would also store the address. */
export function placeOrder(name: string, total: number): Order {
  return { number: String(randomInt(100_000, 1_000_000)), name, total }
}
