import type { PageProps } from 'hydrant/react'

export default function Product({ params }: PageProps<'/products/[id]'>) {
  return (
    <p id="id">
      {typeof params.id} {params.id}
    </p>
  )
}
