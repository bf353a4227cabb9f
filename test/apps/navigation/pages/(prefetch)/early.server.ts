import type { LoadContext } from 'hydrant'

export function load({ app }: LoadContext<'/early'>) {
  return app.count('early')
}
