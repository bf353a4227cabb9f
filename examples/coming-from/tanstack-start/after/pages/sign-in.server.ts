import { type ActionContext, redirect } from 'hydrant'
import { checkPassword } from '../lib/library.server.ts'
import { signIn } from '../lib/session.server.ts'

export function action({ form, reply }: ActionContext<'/sign-in'>) {
  const name = String(form.get('name') ?? '')
  if (!checkPassword(name, String(form.get('password') ?? ''))) {
    reply.code(422)
    return { name, problem: 'This name or this password is wrong.' }
  }
  signIn(reply, name)
  redirect('/members')
}
