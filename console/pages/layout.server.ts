import type { LoadContext } from 'hydrant'

export function load({ app }: LoadContext) {
  return { canSignOut: !app.console.auth.isOpen }
}
