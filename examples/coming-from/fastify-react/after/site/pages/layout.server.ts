import type { LayoutLoadContext } from 'hydrant'

export function load({ request }: LayoutLoadContext<'/'>) {
  return { member: request.member }
}
