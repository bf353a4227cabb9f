import { FailureBoundary, type PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'
import { Counter } from '../../../components/counter.tsx'

type Data = PageProps<'/failures/f15-deferred/fail'>['data']

export default function Fail({ data }: PageProps<'/failures/f15-deferred/fail'>) {
  return (
    <>
      <title>F15 deferred · Hydrant</title>
      <h1>A promise that never settles</h1>
      <p>The rest of the page works meanwhile:</p>
      <p>
        <Counter />
      </p>
      <h2>What was promised</h2>
      <FailureBoundary>
        <Suspense fallback={<p>Waiting for the promise…</p>}>
          <Late late={data.late} />
        </Suspense>
      </FailureBoundary>
    </>
  )
}

function Late({ late }: Pick<Data, 'late'>) {
  return <p>{use(late)}</p>
}
