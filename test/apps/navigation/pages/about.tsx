import type { PageProps } from 'hydrant/react'
import { StandardPage } from '../components/standard-page.tsx'

export default function Page({ url }: PageProps) {
  return (
    <StandardPage title="About" url={url}>
      <div style={{ height: 3000 }} />
    </StandardPage>
  )
}
