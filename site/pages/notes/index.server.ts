import { type ActionContext, type LoadContext, redirect } from 'hydrant'
import { readNote } from '../../notes/note.ts'

export async function load({ app }: LoadContext<'/notes'>) {
  return { notes: await app.notes.list() }
}

export async function action({ app, form, reply, request }: ActionContext<'/notes'>) {
  const { text, colour } = isObject(request.body) ? request.body : Object.fromEntries(form)
  const read = readNote(text, colour)
  if (read.kind === 'refused') {
    reply.code(422)
    return read.refused
  }
  await app.notes.add(read.note)
  redirect('/notes')
}

/** Returns true if the body is a JSON object. Forms are in `form` instead. */
function isObject(body: unknown): body is Record<string, unknown> {
  return typeof body === 'object' && body !== null && !(body instanceof FormData)
}
