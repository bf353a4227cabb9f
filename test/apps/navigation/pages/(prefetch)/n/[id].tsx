import type { PageProps } from 'hydrant/react'

export default function Page({ params }: PageProps<'/n/[id]'>) {
  return <h1>Number {params.id}</h1>
}
