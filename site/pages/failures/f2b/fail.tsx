import { FailureBoundary, type PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'
import { Counter } from '../../../components/counter.tsx'

type Data = PageProps<'/failures/f2b/fail'>['data']

export default function Fail({ data }: PageProps<'/failures/f2b/fail'>) {
  return (
    <>
      <title>F2b · Hydrant</title>
      <h1>One part of this page fails on the server</h1>
      <p>The browser tries it again and succeeds.</p>
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

function Late({ late }: Pick<Data, 'late'>) {
  use(late)
  if (typeof window === 'undefined')
    throw new Error('SECRET-MARKER f2b: a component fails on the server after the shell')
  return <p id="recovered">Rendered by the browser, because the server could not.</p>
}
