import { type ActionContext, invalidForm } from 'hydrant'
import { textOf } from '../done.ts'

export function action({ form }: ActionContext<'/renames'>) {
  const text = textOf(form, 'text')
  if (text === 'typed') invalidForm({ text: 'Is taken', '': 'Choose another name.' })
  return text
}
