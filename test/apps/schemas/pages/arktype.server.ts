import { type } from 'arktype'
import type { ActionContext } from 'hydrant'

export const form = type({ email: 'string.email', age: 'string.integer.parse', password: 'string >= 8' })

export function action({ input }: ActionContext<'/arktype'>) {
  return input
}
