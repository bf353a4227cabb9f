import type { LoadContext } from 'hydrant'

/** Each visit has a gate of its own. */
export function load({ app }: LoadContext<'/tall'>) {
  return { later: app.gate(`tall${app.count('tall')}`).opened }
}
