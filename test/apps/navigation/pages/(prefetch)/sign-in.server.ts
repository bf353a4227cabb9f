import { type LoadContext, redirect } from 'hydrant'

export function load({ app }: LoadContext<'/sign-in'>) {
  if (app.count('sign-in') === 1) redirect('/a')
}
