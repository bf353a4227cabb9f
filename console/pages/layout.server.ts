import type { LayoutLoadContext } from 'hydrant'

export function load({ app }: LayoutLoadContext<'/'>) {
  return { canSignOut: !app.console.auth.isOpen }
}
