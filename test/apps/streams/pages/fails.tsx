import type { PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'

export default function Page({ data }: PageProps<'/fails'>) {
  return (
    <main>
      <Suspense fallback={<p id="pending">what fails</p>}>
        <Fails of={data.late} />
      </Suspense>
      <Suspense fallback={<p id="gone">what works</p>}>
        <Works of={data.late} />
      </Suspense>
    </main>
  )
}

function Fails({ of }: { of: Promise<string> }): never {
  throw new Error(use(of))
}

function Works({ of }: { of: Promise<string> }) {
  return <p>{use(of)}</p>
}
