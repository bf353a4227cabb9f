import { type ActionContext, redirect } from 'hydrant'

export function action({ app, form, reply }: ActionContext<'/sign-in'>) {
  const name = String(form.get('name') ?? '')
  if (!app.library.checkPassword(name, String(form.get('password') ?? ''))) {
    reply.code(422)
    return { name, problem: 'This name or this password is wrong.' }
  }
  reply.setCookie('member', name, { path: '/', httpOnly: true, sameSite: 'lax', signed: true })
  redirect('/members')
}
