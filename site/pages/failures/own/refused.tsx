import type { PageProps } from 'hydrant/react'

export default function Fail({ data }: PageProps<'/failures/own/refused'>) {
  return <h1>{data.name}</h1>
}
