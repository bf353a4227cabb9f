import type { PageProps } from 'hydrant/react'

export default function Page({ data }: PageProps<'/server/slow'>) {
  return (
    <main>
      <h1>heading</h1>
      <b id="slow">{data}</b>
    </main>
  )
}
