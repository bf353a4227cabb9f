import { type LoadContext, notFound } from 'hydrant'
import { findProduct } from '../../shop/products.server.ts'
import { listReviews } from '../../shop/reviews.server.ts'

export function load({ params, signal }: LoadContext<'/products/[id]'>) {
  const product = findProduct(params.id)
  if (!product) notFound()
  // Without `await`, the page does not wait for the reviews.
  return { product, reviews: listReviews(product.id, signal) }
}
