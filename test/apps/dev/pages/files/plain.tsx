import type { PageProps } from 'hydrant/react'

export const hydrate = false

export default function Page({ data }: PageProps<'/files/plain'>) {
  return <p id="plain">{data} text</p>
}
