import type { PageProps } from 'hydrant/react'

export default function Page({ fields }: PageProps<'/schemas/plain'>) {
  return <p id="fields">{typeof fields}</p>
}
