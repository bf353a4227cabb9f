import type { PageProps } from 'hydrant/react'
import { StandardPage } from '../components/standard-page.tsx'

export default function Page({ url }: PageProps) {
  return (
    <StandardPage title="Home" url={url}>
      <div style={{ height: 3000 }} />
      <p id="bottom">bottom</p>
    </StandardPage>
  )
}
