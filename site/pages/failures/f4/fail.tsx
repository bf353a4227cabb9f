import { FailureBoundary, type PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'
import { Counter } from '../../../components/counter.tsx'

type Data = PageProps<'/failures/f4/fail'>['data']

export default function Fail({ data }: PageProps<'/failures/f4/fail'>) {
  return (
    <>
      <title>F4 · Hydrant</title>
      <h1>A promise that rejects</h1>
      <p>The rest of the page does not change:</p>
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
