import { type LoadContext, notFound } from 'hydrant'
import { products } from '../../content/products.ts'

export function load({ params }: LoadContext<'/products/[id]'>) {
  const product = products[params.id]
  if (!product) notFound()
  return { name: product.name, left: product.stock.count }
}
