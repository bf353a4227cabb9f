import type { PageProps } from 'hydrant/react'

export default function Page({ data }: PageProps<'/stored'>) {
  return <h1>{`Run ${data}`}</h1>
}
