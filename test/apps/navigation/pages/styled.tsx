import type { PageProps } from 'hydrant/react'
import { StandardPage } from '../components/standard-page.tsx'
import './styled.css'

export default function Page({ url }: PageProps) {
  return (
    <StandardPage title="Styled" url={url}>
      <p id="styled">styled</p>
    </StandardPage>
  )
}
