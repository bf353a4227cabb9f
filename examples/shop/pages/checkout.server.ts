import { type ActionContext, type GuardContext, type LoadContext, redirect } from 'hydrant'
import { z } from 'zod'
import { readCart, totalOf } from '../shop/cart.server.ts'
import { placeOrder } from '../shop/orders.server.ts'

/** Without anything in the cart, there is nothing to order. */
export function guard({ request }: GuardContext<'/checkout'>) {
  const lines = readCart(request)
  if (lines.length === 0) redirect('/cart')
  return { total: totalOf(lines) }
}

export function load({ context }: LoadContext<'/checkout'>) {
  return { total: context.total }
}

export const form = z.object({
  name: z.string().trim().min(2, 'Enter your name.'),
  email: z.email('Enter an e-mail address, such as ada@example.org.'),
  address: z.object({
    street: z.string().trim().min(3, 'Enter the street and the number.'),
    postcode: z.string().regex(/^[0-9]{5}$/, 'Enter the five digits of the postcode.'),
    city: z.string().trim().min(2, 'Enter the city.'),
  }),
  delivery: z.enum(['post', 'pickup'], 'Choose a kind of delivery.'),
})

export function action({ input, context, request }: ActionContext<'/checkout'>) {
  request.session.set('order', placeOrder(input.name, context.total))
  request.session.set('cart', {})
  redirect('/thanks')
}
