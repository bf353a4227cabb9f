import type { LayoutLoadContext } from 'hydrant'

export function load({ app, request }: LayoutLoadContext<'/'>) {
  if (request.fails === 'layout') throw new Error('SECRET-MARKER of the layout')
  return { count: app.count() }
}
