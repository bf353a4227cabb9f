import { type ActionContext, invalidForm, type LoadContext, redirect } from 'hydrant'
import { z } from 'zod'
import { addToCart, readCart, setAmount, totalOf } from '../shop/cart.server.ts'
import { findProduct } from '../shop/products.server.ts'

export function load({ request }: LoadContext<'/cart'>) {
  const lines = readCart(request)
  return { lines, total: totalOf(lines) }
}

export const form = z.object({
  id: z.string(),
  change: z.enum(['add', 'set']),
  amount: z.coerce.number('Enter a number.').int().min(0).max(99),
  stay: z.literal('yes').optional(),
})

export function action({ input, request }: ActionContext<'/cart'>) {
  const product = findProduct(input.id)
  if (!product) invalidForm({ id: 'This product is no longer for sale.' })
  if (input.change === 'add') addToCart(request, product, input.amount)
  else setAmount(request, product, input.amount)
  // A redirect would lead the visitor away from the product.
  if (!input.stay) redirect('/cart')
}
