import { type ActionContext, redirect } from 'hydrant'
import { next } from '../../../late.server.ts'

export async function action({ form, params: { part } }: Pick<ActionContext<'/late/[part]'>, 'form' | 'params'>) {
  await next()
  const intent = form.get('intent')
  if (intent === 'here') redirect(`/late/${part}`)
  if (intent === 'there') redirect(`/late/${part}/there`)
}
