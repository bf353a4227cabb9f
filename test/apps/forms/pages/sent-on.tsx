import type { PageProps } from 'hydrant/react'

export default function SentOn({ actionData, url }: PageProps<'/sent-on'>) {
  return (
    <p>
      Sent on {url.search} {actionData}
    </p>
  )
}
