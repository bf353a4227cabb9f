import type { LoadContext } from 'hydrant'

export function load({ app }: LoadContext<'/late-link'>) {
  return { later: app.gate('late-link').opened }
}
