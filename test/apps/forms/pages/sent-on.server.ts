import type { ActionContext } from 'hydrant'
import { textOf } from '../done.ts'

export async function action({ form }: ActionContext<'/sent-on'>) {
  return `with ${textOf(form, 'how')}`
}
