import { FailureBoundary, type PageProps } from 'hydrant/react'
import { Suspense } from 'react'
import { Later } from '../components/later.tsx'
import { StandardPage } from '../components/standard-page.tsx'

export default function Page({ data, url }: PageProps<'/later'>) {
  return (
    <StandardPage title="Later" url={url}>
      <FailureBoundary>
        <Suspense fallback={<i id="wait">wait</i>}>
          <Later promise={data.later} />
        </Suspense>
      </FailureBoundary>
    </StandardPage>
  )
}
