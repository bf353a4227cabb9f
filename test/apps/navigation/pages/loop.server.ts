import { type LoadContext, redirect } from 'hydrant'

export function load({ app }: LoadContext<'/loop'>) {
  app.count('loop')
  redirect('/loop')
}
