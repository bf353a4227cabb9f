import { type ActionContext, redirect } from 'hydrant'

/** Returns the size of the received form. */
export async function action({ form, request }: ActionContext<'/form'>) {
  const { fail } = request.query as { fail?: string }
  if (fail === 'action') throw new Error('soak: the action throws.')
  if (form.get('go') !== null) redirect('/rows')
  const file = form.get('file')
  const text = form.get('text')
  return {
    fields: [...form].length,
    textLength: typeof text === 'string' ? text.length : 0,
    fileBytes: file instanceof File ? (await file.arrayBuffer()).byteLength : 0,
  }
}
