import type { PageProps } from 'hydrant/react'

export default function Products({ search, data }: PageProps<'/products'>) {
  return <p id="search">{JSON.stringify([search, data])}</p>
}
