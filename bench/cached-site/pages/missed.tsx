import type { PageProps } from 'hydrant/react'
import { Products } from '../components/products.tsx'

export default function Missed({ data }: PageProps<'/missed'>) {
  return <Products products={data.products} />
}
