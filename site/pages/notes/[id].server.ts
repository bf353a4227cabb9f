import { type ActionContext, HttpError, type LoadContext, notFound, redirect } from 'hydrant'

export async function load({ app, params }: LoadContext<'/notes/[id]'>) {
  const note = await app.notes.find(params.id)
  if (!note) notFound()
  return { note }
}

/** Deletes the note. Both a form's button and a script's `DELETE` use it. */
export async function action({ app, form, params, request }: ActionContext<'/notes/[id]'>) {
  const isForm = request.method === 'POST' && form.get('intent') === 'delete'
  if (!isForm && request.method !== 'DELETE') throw new HttpError(400, 'A note can only be deleted.')
  if (!(await app.notes.remove(params.id))) notFound()
  if (isForm) redirect('/notes')
}
