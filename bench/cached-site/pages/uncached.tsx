import type { PageProps } from 'hydrant/react'
import { Products } from '../components/products.tsx'

export default function Uncached({ data }: PageProps<'/uncached'>) {
  return <Products products={data.products} />
}
