import { type GuardContext, redirect } from 'hydrant'

export function guard({ request }: GuardContext) {
  if (!request.headers.cookie?.includes('member=yes')) redirect('/')
}
