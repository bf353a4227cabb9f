import type { LoadContext } from 'hydrant'

export function load({ url }: LoadContext<'/evil'>) {
  return url.searchParams.get('to') ?? ''
}
