import type { PageProps } from 'hydrant/react'
import { useState } from 'react'
import { step } from '../../step.ts'
import './index.css'

export default function Page({ data }: PageProps<'/stored'>) {
  const [count, setCount] = useState(0)
  return (
    <main>
      <title>Stored</title>
      <h1>Stored {data.run}</h1>
      <button type="button" onClick={() => setCount(count + step)}>
        count: {count}
      </button>
      <a href="/stored/other">other</a>
    </main>
  )
}
