import type { LayoutLoadContext } from 'hydrant'
import { readCart } from '../shop/cart.server.ts'

export function load({ request }: LayoutLoadContext<'/'>) {
  return { count: readCart(request).reduce((sum, { amount }) => sum + amount, 0) }
}
