import type { LoadContext } from 'hydrant'

export function load({ app, context }: LoadContext<'/members'>) {
  return { name: context.member, suggestions: app.library.suggestions }
}
