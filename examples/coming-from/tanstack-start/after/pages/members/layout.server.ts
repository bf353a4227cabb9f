import { type LayoutGuardContext, redirect } from 'hydrant'
import { readMember } from '../../lib/session.server.ts'

export function guard({ request }: LayoutGuardContext<'/members'>) {
  return { member: readMember(request) ?? redirect('/sign-in') }
}
