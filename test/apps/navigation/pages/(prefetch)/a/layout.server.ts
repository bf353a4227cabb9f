import type { LayoutLoadContext } from 'hydrant'

export function load({ app }: LayoutLoadContext<'/(prefetch)/a'>) {
  return app.count('a')
}
