import { FailureBoundary, type PageProps } from 'hydrant/react'
import { type ReactNode, Suspense, use } from 'react'
import { makeThrown } from '../../../content/thrown.ts'

type Data = PageProps<'/failures/f13/[kind]'>['data']

export default function Fail({ data }: PageProps<'/failures/f13/[kind]'>) {
  return (
    <>
      <title>F13 · Hydrant</title>
      <h1>Something is thrown: {data.kind}</h1>
      {data.position === 'render' && <Broken kind={data.kind} />}
      {data.late && (
        <FailureBoundary>
          <Suspense fallback={<p>Waiting for the promise…</p>}>
            <Late late={data.late} />
          </Suspense>
        </FailureBoundary>
      )}
    </>
  )
}

function Broken({ kind }: Pick<Data, 'kind'>): ReactNode {
  throw makeThrown(kind)
}

function Late({ late }: { late: Promise<string> }) {
  return <p>{use(late)}</p>
}
