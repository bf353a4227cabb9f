import { type LayoutGuardContext, redirect } from 'hydrant'

export function guard({ request }: LayoutGuardContext<'/members'>) {
  return { member: request.member ?? redirect('/sign-in') }
}
