import { type GuardContext, redirect } from 'hydrant'

export function guard({ request }: GuardContext<'/kept/note'>) {
  if (request.method === 'POST') redirect('/kept/login')
}

export function action() {
  return null
}
