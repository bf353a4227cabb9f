import { type ActionContext, redirect } from 'hydrant'

export function action({ reply }: ActionContext<'/sign-out'>) {
  reply.signOut()
  redirect('/sign-in')
}
