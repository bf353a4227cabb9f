import { useRouteContext } from '@fastify/react/client'

export function getData({ server, req, reply }) {
  if (!req.member) return reply.redirect('/sign-in')
  return { name: req.member, suggestions: server.library.suggestions }
}

export default function Members() {
  const { data } = useRouteContext()
  return (
    <>
      <h1>{data.name}’s club</h1>
      <ul>
        {data.suggestions.map((title) => (
          <li key={title}>{title}</li>
        ))}
      </ul>
    </>
  )
}
