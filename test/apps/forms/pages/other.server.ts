import type { ActionContext } from 'hydrant'
import { textOf } from '../done.ts'

export function action({ app, form }: ActionContext<'/other'>) {
  app.done({ path: '/other' })
  return { text: textOf(form, 'text') }
}
