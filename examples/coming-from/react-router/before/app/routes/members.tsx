import { redirect } from 'react-router'
import { suggestions } from '../lib/library.server'
import { readMember } from '../lib/session.server'
import type { Route } from './+types/members'

export async function loader({ request }: Route.LoaderArgs) {
  const name = await readMember(request)
  if (!name) throw redirect('/sign-in')
  return { name, suggestions }
}

export default function Members({ loaderData }: Route.ComponentProps) {
  return (
    <>
      <title>Members</title>
      <h1>{loaderData.name}’s club</h1>
      <ul>
        {loaderData.suggestions.map((title) => (
          <li key={title}>{title}</li>
        ))}
      </ul>
    </>
  )
}
