import type { PageProps } from 'hydrant/react'

export default function Other({ actionData }: PageProps<'/other'>) {
  return <h1>Other {actionData?.text}</h1>
}
