import type { LoadContext } from 'hydrant'

export const prerender = true

export function load({ url }: LoadContext<'/prerendered'>) {
  return { href: url.href, pid: process.pid }
}
