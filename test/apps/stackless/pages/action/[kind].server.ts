import type { ActionContext } from 'hydrant'
import { values } from '../../parts/values.ts'

export const action = ({ params }: ActionContext<'/action/[kind]'>) => {
  // place: /action
  throw values[params.kind]?.()
}
