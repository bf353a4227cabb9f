import type { PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'

export default function Page({ data }: PageProps<'/late'>) {
  return (
    <main>
      <h1>{data.title}</h1>
      <Suspense fallback={<p id="pending">pending</p>}>
        <Late text={data.late} />
      </Suspense>
      <div style={{ height: 3000 }} />
      <p id="end">end</p>
    </main>
  )
}

function Late({ text }: { text: Promise<string> }) {
  return <p id="late">{use(text)}</p>
}
