import type { PageProps } from 'hydrant/react'

export default function Elsewhere({ actionData }: PageProps<'/order/elsewhere'>) {
  return <h1>{actionData}</h1>
}
