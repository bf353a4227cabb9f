import type { PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'

export default function Page({ data }: PageProps<'/late'>) {
  return (
    <main>
      <h1>Late</h1>
      <Suspense fallback={<p id="wait">Wait</p>}>
        <Late text={data.text} />
      </Suspense>
    </main>
  )
}

function Late({ text }: { text: Promise<string> }) {
  return <p id="text">{use(text)}</p>
}
