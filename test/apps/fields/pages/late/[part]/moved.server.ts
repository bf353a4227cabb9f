import { type LoadContext, redirect } from 'hydrant'

/** After a redirect, the load of the layout runs again, too. */
export function load({ params: { part } }: LoadContext<'/late/[part]/moved'>) {
  redirect(`/late/${part}/there`)
}
