import type { PageProps } from 'hydrant/react'

export default function Other({ data }: PageProps<'/stored/other'>) {
  return (
    <main>
      <h1>Other {data}</h1>
      <a href="/stored">back</a>
    </main>
  )
}
