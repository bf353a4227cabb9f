import type { LayoutLoadContext } from 'hydrant'

export function load({ app, params }: LayoutLoadContext<'/users/[id]'>) {
  app.count(`user ${params.id}`)
  return params.id
}
