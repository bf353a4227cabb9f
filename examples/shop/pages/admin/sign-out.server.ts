import { type ActionContext, redirect } from 'hydrant'

export function action({ request }: ActionContext<'/admin/sign-out'>) {
  request.session.set('isStaff', false)
  redirect('/')
}
