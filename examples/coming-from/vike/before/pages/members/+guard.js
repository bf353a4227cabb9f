import { redirect } from 'vike/abort'

export function guard(pageContext) {
  if (!pageContext.member) throw redirect('/sign-in')
}
