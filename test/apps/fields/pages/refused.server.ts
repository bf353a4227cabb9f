import type { ActionContext } from 'hydrant'

export { gatedSchema as form } from '../gated-schema.ts'

export function action({ input }: ActionContext<'/refused'>) {
  return input.text
}
