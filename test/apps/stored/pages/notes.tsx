import type { PageProps } from 'hydrant/react'
import { Suspense } from 'react'
import { Late } from '../late.tsx'

export default function Page({ data, actionData }: PageProps<'/notes'>) {
  return (
    <main>
      <h1>Notes</h1>
      <form method="post">
        <input name="text" defaultValue="written" />
        <button type="submit" id="send">
          Send
        </button>
      </form>
      <output>{actionData}</output>
      <Suspense fallback="…">
        <Late late={data.late} />
      </Suspense>
      <button
        id="fail"
        type="button"
        onClick={() => {
          throw new Error('clicked')
        }}
      >
        fail
      </button>
    </main>
  )
}
