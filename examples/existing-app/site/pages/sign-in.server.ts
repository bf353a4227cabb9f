import { type ActionContext, localPath, redirect } from 'hydrant'
import { findUser } from '../../src/users.ts'

export function action({ form, reply, url }: ActionContext<'/sign-in'>) {
  const name = String(form.get('name') ?? '')
  const user = findUser(name, String(form.get('password') ?? ''))
  if (!user) {
    reply.code(422)
    return { name, problem: 'This name or this password is wrong.' }
  }
  reply.signIn(user)
  redirect(localPath(url.searchParams.get('from'), '/'))
}
