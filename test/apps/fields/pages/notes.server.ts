import { type ActionContext, type LoadContext, redirect } from 'hydrant'

const notes: string[] = []

export function load({ url }: LoadContext<'/notes'>) {
  return { notes: [...notes], isMultipart: url.searchParams.has('multipart') }
}

export async function action({ form, reply, request }: ActionContext<'/notes'>) {
  const { body } = request
  // The cast is safe because the tests send an object as JSON.
  const text = body instanceof FormData ? form.get('text') : (body as { text?: string } | null)?.text
  if (!text) {
    reply.code(422)
    return { problem: 'Write something.', text: '' }
  }
  const file = form.get('file')
  const content = file instanceof File && file.size > 0 ? `: ${file.name} ${await file.text()}` : ''
  notes.push(text + content)
  redirect('/notes')
}
