import type { ActionContext } from 'hydrant'
import * as v from 'valibot'

export const form = v.object({
  email: v.pipe(v.string(), v.email('Not an address')),
  topics: v.array(v.string()),
})

export function action({ input }: ActionContext<'/valibot'>) {
  return input
}
