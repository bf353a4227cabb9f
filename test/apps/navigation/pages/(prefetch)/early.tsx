import { type PageProps, prefetch, refresh } from 'hydrant/react'
import { useInsertionEffect, useLayoutEffect, useState } from 'react'

export default function Page({ data }: PageProps<'/early'>) {
  const [problem, setProblem] = useState('none')
  useInsertionEffect(() => void prefetch('/n/1'), [])
  useLayoutEffect(() => {
    void prefetch('/n/0')
    refresh().catch((error: Error) => setProblem(error.message))
  }, [])
  return (
    <>
      <h1>Early</h1>
      <p id="loads">{data}</p>
      <p id="problem">{problem}</p>
    </>
  )
}
