import { type LayoutGuardContext, type LayoutLoadContext, redirect } from 'hydrant'

export function guard({ request, url }: LayoutGuardContext<'/(desk)'>) {
  const user = request.currentUser()
  if (!user) redirect(`/sign-in?from=${encodeURIComponent(url.pathname + url.search)}`)
  return { user }
}

export function load({ context }: LayoutLoadContext<'/(desk)'>) {
  const { name, role } = context.user
  return { name, isOperator: role === 'operator' }
}
