import { HttpError, type LayoutGuardContext, type LayoutLoadContext, redirect } from 'hydrant'

export function guard({ request, url }: LayoutGuardContext<'/vault'>) {
  const [, user] = /user=(\w+)/.exec(request.headers.cookie ?? '') ?? []
  if (user === 'mallory') throw new HttpError(403, 'Not for you')
  if (!user) redirect(`/enter?from=${encodeURIComponent(url.pathname)}`)
  return { user }
}

export function load({ context }: LayoutLoadContext<'/vault'>) {
  return context.user
}
