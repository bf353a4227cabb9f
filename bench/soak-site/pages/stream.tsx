import type { PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'

function Part({ text }: { text: Promise<string> }) {
  return <p>{use(text)}</p>
}

export default function Stream({ data }: PageProps<'/stream'>) {
  return (
    <>
      <h1>Stream</h1>
      {data.parts.map((text, index) => (
        <Suspense key={index} fallback={<p>Part {index} is to come.</p>}>
          <Part text={text} />
        </Suspense>
      ))}
    </>
  )
}
