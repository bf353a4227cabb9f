import { invalidForm, type LoadContext } from 'hydrant'

export function load({ url }: LoadContext<'/plain'>) {
  if (url.searchParams.has('misuse')) invalidForm({ a: 'b' })
}

export function action() {
  invalidForm({ a: 'Not this' })
}
