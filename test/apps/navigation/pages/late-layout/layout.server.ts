import type { LayoutLoadContext } from 'hydrant'

export function load({ app }: LayoutLoadContext<'/late-layout'>) {
  return { later: app.gate('late-layout').opened }
}
