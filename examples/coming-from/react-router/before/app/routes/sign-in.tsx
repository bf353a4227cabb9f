import { data, Form, redirect } from 'react-router'
import { checkPassword } from '../lib/library.server'
import { commitSession, getSession } from '../lib/session.server'
import type { Route } from './+types/sign-in'

export async function action({ request }: Route.ActionArgs) {
  const form = await request.formData()
  const name = String(form.get('name') ?? '')
  if (!checkPassword(name, String(form.get('password') ?? ''))) {
    return data({ name, problem: 'This name or this password is wrong.' }, { status: 422 })
  }
  const session = await getSession(request.headers.get('Cookie'))
  session.set('member', name)
  return redirect('/members', { headers: { 'Set-Cookie': await commitSession(session) } })
}

export default function SignIn({ actionData }: Route.ComponentProps) {
  return (
    <Form method="post">
      <title>Sign in</title>
      <h1>Sign in</h1>
      <label>
        Name <input name="name" autoComplete="username" defaultValue={actionData?.name} />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="current-password" />
      </label>
      {actionData && <p role="alert">{actionData.problem}</p>}
      <button type="submit">Sign in</button>
    </Form>
  )
}
