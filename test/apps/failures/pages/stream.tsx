import type { PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'

export default function Page({ data }: PageProps<'/stream'>) {
  return (
    <Suspense fallback={<p>waits</p>}>
      <Late late={data.late} />
    </Suspense>
  )
}

function Late({ late }: { late: Promise<unknown> }): never {
  use(late)
  throw new Error('stream') // fails: stream
}
