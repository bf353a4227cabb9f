import { type ActionContext, redirect } from 'hydrant'

export function action({ app }: ActionContext<'/leave'>) {
  app.session.isOpen = false
  redirect('/leave')
}
