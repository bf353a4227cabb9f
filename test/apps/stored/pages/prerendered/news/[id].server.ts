import type { LoadContext, Prerender } from 'hydrant'

export const prerender: Prerender = () => ['/prerendered/news/7']

export function load({ params }: LoadContext<'/prerendered/news/[id]'>) {
  return { id: params.id, pid: process.pid }
}
