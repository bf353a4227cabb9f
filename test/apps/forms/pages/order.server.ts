import { type ActionContext, HttpError, invalidForm, redirect } from 'hydrant'
import { textOf } from '../done.ts'

const finished: string[] = []

export function load() {
  return [...finished]
}

export async function action({ app, form }: ActionContext) {
  const text = textOf(form, 'text') ?? 'initial'
  const name = `${textOf(form, 'name')}${text === 'initial' ? '' : `-${text}`}`
  app.done({ path: '/order', name })
  await app.gate(name)
  finished.push(name)
  switch (textOf(form, 'end')) {
    case 'redirect':
      redirect(`/target?${name}`)
      break
    case 'slow':
      redirect('/order/slow')
      break
    case 'refusal':
      throw new HttpError(409, `Refused ${name}`)
    case 'invalid':
      invalidForm({ text: `Invalid ${name}` })
      break
    case 'failure':
      throw new Error('SECRET-MARKER')
  }
  return `answer to ${name}`
}
