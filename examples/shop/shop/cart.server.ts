import type { FastifyRequest } from 'fastify'
import { findProduct, type Product } from './products.server.ts'

const MOST = 99

export interface CartLine {
  product: Product
  amount: number
}

/** Returns the products in the visitor's cart, without those that the shop no longer sells. */
export function readCart({ session }: FastifyRequest): CartLine[] {
  return Object.entries(session.get('cart') ?? {}).flatMap(([id, amount]) => {
    const product = findProduct(id)
    return product ? [{ product, amount }] : []
  })
}

export function totalOf(lines: readonly CartLine[]): number {
  return lines.reduce((sum, { product, amount }) => sum + product.price * amount, 0)
}

/** Adds to the amount of a product. */
export function addToCart(request: FastifyRequest, product: Product, amount: number) {
  const before = request.session.get('cart')?.[product.id] ?? 0
  setAmount(request, product, before + amount)
}

/** Sets the amount of a product. 0 removes it from the cart. */
export function setAmount({ session }: FastifyRequest, { id }: Product, amount: number) {
  const { [id]: _, ...others } = session.get('cart') ?? {}
  session.set('cart', amount === 0 ? others : { ...others, [id]: Math.min(amount, MOST) })
}
