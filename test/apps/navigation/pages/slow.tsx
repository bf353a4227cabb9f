import type { PageProps } from 'hydrant/react'
import { StandardPage } from '../components/standard-page.tsx'

export default function Page({ data, url }: PageProps<'/slow'>) {
  return (
    <StandardPage title="Slow" url={url}>
      <p id="data">{data}</p>
    </StandardPage>
  )
}
