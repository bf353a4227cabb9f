import { type ActionContext, type GuardContext, invalidForm, redirect } from 'hydrant'
import { nameOf } from '../../session.server.ts'

export function guard({ request }: GuardContext<'/restored/draft'>) {
  if (request.method === 'POST' && nameOf(request) === '') redirect('/restored/login')
}

export async function action({ form }: ActionContext<'/restored/draft'>) {
  if (form.get('text') === 'refused') invalidForm({ text: 'Not this text' })
  redirect('/restored/draft')
}
