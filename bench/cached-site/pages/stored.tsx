import type { PageProps } from 'hydrant/react'
import { Products } from '../components/products.tsx'

export default function Stored({ data }: PageProps<'/stored'>) {
  return <Products products={data.products} />
}
