import { type ActionContext, invalidForm } from 'hydrant'
import { textOf } from '../done.ts'

let loads = 0
let actions = 0

export const revalidate = false

export function load() {
  return ++loads
}

export async function action({ app, form }: ActionContext) {
  if (textOf(form, 'text') === 'refused') {
    await app.gate('refused')
    invalidForm({ text: 'Refused' })
  }
  return `action ${++actions}`
}
