import type { LoadContext } from 'hydrant'

export function load({ app }: LoadContext<'/fails-once'>) {
  if (app.count('fails-once') === 1) throw new Error('only once')
}
