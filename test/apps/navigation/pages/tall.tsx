import type { PageProps } from 'hydrant/react'
import { Suspense } from 'react'
import { Later } from '../components/later.tsx'
import { StandardPage } from '../components/standard-page.tsx'

export default function Page({ data, url }: PageProps<'/tall'>) {
  return (
    <StandardPage title="Tall" url={url}>
      <Suspense fallback={<i id="wait">wait</i>}>
        <div style={{ height: 4_000 }}>
          <Later promise={data.later} />
        </div>
        <p id="below" style={{ height: 2_000 }} />
      </Suspense>
    </StandardPage>
  )
}
