import { FailureBoundary, type PageProps } from 'hydrant/react'
import { Width } from '../../components/width.tsx'

export default function Page({ data }: PageProps<'/cut'>) {
  return (
    <>
      <Width />
      <FailureBoundary>
        <Width after={data.later} />
      </FailureBoundary>
    </>
  )
}
