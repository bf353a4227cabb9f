import type { PageProps } from 'hydrant/react'
import { StandardPage } from '../../../components/standard-page.tsx'

export default function Page({ url }: PageProps) {
  return <StandardPage title="User" url={url} />
}
