import { useRouteContext } from '@fastify/react/client'

export function getData({ server, req, reply }) {
  if (req.method !== 'POST') return { name: '', problem: '' }
  const { name = '', password = '' } = req.body
  if (!server.library.checkPassword(name, password)) {
    reply.code(422)
    return { name, problem: 'This name or this password is wrong.' }
  }
  reply.setCookie('member', name, { path: '/', httpOnly: true, sameSite: 'lax', signed: true })
  return reply.redirect('/members', 303)
}

export default function SignIn() {
  const { data } = useRouteContext()
  return (
    <form method="post">
      <h1>Sign in</h1>
      <label>
        Name <input name="name" autoComplete="username" defaultValue={data.name} />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="current-password" />
      </label>
      {data.problem && <p role="alert">{data.problem}</p>}
      <button type="submit">Sign in</button>
    </form>
  )
}
