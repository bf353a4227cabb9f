import type { PageProps } from 'hydrant/react'
import { Width } from '../../components/width.tsx'

export default function Page({ data }: PageProps<'/late'>) {
  return (
    <>
      <h1>Page</h1>
      <Width after={data.later} />
    </>
  )
}
