import { type ActionContext, localPath, redirect } from 'hydrant'

const { STAFF_PASSWORD } = process.env
if (!STAFF_PASSWORD) throw new Error('Set STAFF_PASSWORD to the password of the staff')

export function action({ form, request, reply, url }: ActionContext<'/sign-in'>) {
  if (form.get('password') !== STAFF_PASSWORD) {
    reply.code(422)
    return { problem: 'This password is wrong.' }
  }
  request.session.set('isStaff', true)
  redirect(localPath(url.searchParams.get('from'), '/admin'))
}
