import { type LayoutGuardContext, redirect } from 'hydrant'

let loads = 0

export function guard({ app, request, url }: LayoutGuardContext<'/desk'>) {
  if (!app.session.isOpen || !request.headers.cookie) redirect(`/enter?from=${encodeURIComponent(url.pathname)}`)
}

export function load() {
  return ++loads
}
