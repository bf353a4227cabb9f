import type { PageProps } from 'hydrant/react'

export default function Page({ actionData }: PageProps<'/send/acted'>) {
  return <p id="times">{actionData}</p>
}
