import type { PageProps } from 'hydrant/react'

export default function Members({ data }: PageProps<'/members'>) {
  return (
    <>
      <title>Members</title>
      <h1>{data.name}’s club</h1>
      <ul>
        {data.suggestions.map((title) => (
          <li key={title}>{title}</li>
        ))}
      </ul>
    </>
  )
}
