import type { PageProps } from 'hydrant/react'

export default function Fail({ data }: PageProps<'/failures/f15/fail'>) {
  return <h1>{data.name}</h1>
}
