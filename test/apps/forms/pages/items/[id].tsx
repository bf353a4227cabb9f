import type { PageProps } from 'hydrant/react'

export default function Item({ params, actionData }: PageProps<'/items/[id]'>) {
  return (
    <h1>
      Item {params.id} {actionData?.text}
    </h1>
  )
}
