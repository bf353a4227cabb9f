import { createFileRoute, redirect } from '@tanstack/react-router'
import { readSuggestions } from '../lib/club.functions'

export const Route = createFileRoute('/members')({
  beforeLoad: ({ context }) => {
    if (!context.member) throw redirect({ to: '/sign-in' })
    return { name: context.member }
  },
  loader: () => readSuggestions(),
  head: () => ({ meta: [{ title: 'Members' }] }),
  component: Members,
})

function Members() {
  const { name } = Route.useRouteContext()
  const suggestions = Route.useLoaderData()
  return (
    <>
      <h1>{name}’s club</h1>
      <ul>
        {suggestions.map((title) => (
          <li key={title}>{title}</li>
        ))}
      </ul>
    </>
  )
}
