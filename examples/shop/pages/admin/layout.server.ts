import { type LayoutGuardContext, redirect } from 'hydrant'

export function guard({ request, url }: LayoutGuardContext<'/admin'>) {
  if (!request.session.get('isStaff')) redirect(`/sign-in?from=${encodeURIComponent(url.pathname + url.search)}`)
}
