import type { PageProps } from 'hydrant/react'

export default function Page({ invalid, actionData }: PageProps<'/arktype'>) {
  return <p>{JSON.stringify(invalid ?? actionData)}</p>
}
