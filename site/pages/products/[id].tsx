import type { PageProps } from 'hydrant/react'

export default function Product({ data }: PageProps<'/products/[id]'>) {
  return (
    <>
      <title>{`${data.name} · Hydrant`}</title>
      <h1>{data.name}</h1>
      <p>{data.left} left</p>
    </>
  )
}
