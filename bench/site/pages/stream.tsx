import type { PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'

function Slow({ slow }: { slow: Promise<{ message: string }> }) {
  return <p id="slow">{use(slow).message}</p>
}

export default function Stream({ data }: PageProps<'/stream'>) {
  return (
    <>
      <title>Stream</title>
      <h1>Stream</h1>
      <Suspense fallback={<p>Loading</p>}>
        <Slow slow={data.slow} />
      </Suspense>
    </>
  )
}
