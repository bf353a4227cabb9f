import type { PageProps } from 'hydrant/react'

export default function Sent({ actionData }: PageProps<'/before-sent'>) {
  return (
    <>
      <h1>Sent</h1>
      <output id="sent">{actionData}</output>
    </>
  )
}
