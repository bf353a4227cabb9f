import type { PageProps } from 'hydrant/react'
import { Products } from '../components/products.tsx'

export default function Stale({ data }: PageProps<'/stale'>) {
  return <Products products={data.products} />
}
