import type { LoadContext } from 'hydrant'

export function load({ app }: LoadContext<'/docs'>) {
  return { version: app.siteFacts().hydrant }
}
