import { type ActionContext, type GuardContext, HttpError, type LoadContext, notFound, redirect } from 'hydrant'
import { href } from 'hydrant/react'
import { findNote } from '../../notes/find-note.server.ts'
import { toNote } from '../../notes/store.ts'

/** Everybody may read a note. Only the visitor who has written it may change it. */
export async function guard(ctx: GuardContext<'/notes/[id]'>) {
  const { isReading, visitor } = ctx.context
  const { owner } = await findNote(ctx, ctx.params.id)
  if (!isReading && owner !== visitor.id) throw new HttpError(403, 'Only the visitor who wrote a note can delete it.')
}

export async function load(ctx: LoadContext<'/notes/[id]'>) {
  return { note: toNote(await findNote(ctx, ctx.params.id), ctx.context.visitor.id) }
}

/** Deletes the note. Both a form's button and a script's `DELETE` use it. */
export async function action({ app, form, params, request }: ActionContext<'/notes/[id]'>) {
  const isForm = request.method === 'POST' && form.get('intent') === 'delete'
  if (!isForm && request.method !== 'DELETE') throw new HttpError(400, 'A note can only be deleted.')
  if (!(await app.notes.remove(params.id))) notFound()
  // The list that the visitor comes from.
  if (isForm) redirect(href('/notes', {}, { search: { q: String(form.get('q') ?? '') || undefined } }))
}
