import type { LayoutLoadContext } from 'hydrant'

export function load({ app }: LayoutLoadContext<'/docs'>) {
  return { version: app.siteFacts().hydrant }
}
