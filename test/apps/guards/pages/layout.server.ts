import { HttpError, type LayoutGuardContext, type LayoutLoadContext } from 'hydrant'

export function guard({ url }: LayoutGuardContext<'/'>) {
  if (url.searchParams.has('closed')) throw new HttpError(403, 'Closed on Mondays')
}

export function load({ app, request }: LayoutLoadContext<'/'>) {
  return `${app.count()} for ${app.session.isOpen && request.headers.cookie ? 'ada' : 'nobody'}`
}
