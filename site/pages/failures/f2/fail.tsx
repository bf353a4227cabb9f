import { FailureBoundary, type PageProps } from 'hydrant/react'
import { type ReactNode, Suspense, use } from 'react'
import { Counter } from '../../../components/counter.tsx'

type Data = PageProps<'/failures/f2/fail'>['data']

export default function Fail({ data }: PageProps<'/failures/f2/fail'>) {
  return (
    <>
      <title>F2 · Hydrant</title>
      <h1>One part of this page fails</h1>
      <p>The rest does not change, and this button still counts:</p>
      <p>
        <Counter />
      </p>
      <h2>The part that fails</h2>
      <FailureBoundary>
        <Suspense fallback={<p>Waiting for the part…</p>}>
          <Late late={data.late} />
        </Suspense>
      </FailureBoundary>
    </>
  )
}

function Late({ late }: Pick<Data, 'late'>): ReactNode {
  use(late)
  throw new Error('SECRET-MARKER f2: a component fails after the shell')
}
