import { type ActionContext, HttpError, redirect } from 'hydrant'
import { textOf } from '../../done.ts'

export async function action({ app, form, params }: ActionContext<'/items/[id]'>) {
  const text = textOf(form, 'text') ?? ''
  app.done({ path: `/items/${params.id}`, text })
  if (text.startsWith('wait')) await app.gate(text)
  if (params.id === 'chat') app.texts.push(text)
  switch (textOf(form, 'end')) {
    case 'refusal':
      throw new HttpError(409, 'Already liked')
    case 'failure':
      throw new Error('SECRET-MARKER')
    case 'redirect':
      redirect('/target')
  }
  return { text }
}
