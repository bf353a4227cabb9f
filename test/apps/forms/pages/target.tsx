import type { PageProps } from 'hydrant/react'

export default function Target({ url }: PageProps<'/target'>) {
  return <h1>Target {url.search}</h1>
}
