import { FailureBoundary, type PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'
import { Counter } from '../../../components/counter.tsx'

type Data = PageProps<'/failures/f18/fail'>['data']

export default function Fail({ data }: PageProps<'/failures/f18/fail'>) {
  return (
    <>
      <title>F18 · Hydrant</title>
      <h1>A connection that is cut</h1>
      <p>The rest of the page works meanwhile:</p>
      <p>
        <Counter />
      </p>
      <h2>What was still to come</h2>
      <FailureBoundary>
        <Suspense fallback={<p>Waiting for the rest…</p>}>
          <Late late={data.late} />
        </Suspense>
      </FailureBoundary>
    </>
  )
}

function Late({ late }: Pick<Data, 'late'>) {
  return <p>{use(late)}</p>
}
