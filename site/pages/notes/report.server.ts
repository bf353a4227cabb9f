import { type ActionContext, invalidForm } from 'hydrant'
import { z } from 'zod'

export const form = z.object({ id: z.coerce.number('Enter the number of a note.').int().positive() })

/** A report changes nothing that a page shows. */
export const revalidate = false

/** Writes a line into the log, which the operator of the site reads. */
export async function action({ app, input, request }: ActionContext<'/notes/report'>) {
  const note = await app.notes.find(String(input.id))
  if (!note) invalidForm({ id: 'There is no note with this number.' })
  request.log.warn({ note: note.id }, 'a visitor has reported a note')
  return { id: note.id }
}
