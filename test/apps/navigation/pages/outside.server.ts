import { type LoadContext, redirect } from 'hydrant'

/** Redirects to the same server by another name. */
export function load({ url }: LoadContext<'/outside'>) {
  redirect(new URL(`http://localhost:${url.port}/about`))
}
