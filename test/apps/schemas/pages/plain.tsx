import type { PageProps } from 'hydrant/react'

export default function Plain({ invalid, fields }: PageProps<'/plain'>) {
  return <p>{JSON.stringify({ invalid, fields })}</p>
}
