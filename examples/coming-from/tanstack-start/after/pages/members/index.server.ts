import type { LoadContext } from 'hydrant'
import { suggestions } from '../../lib/library.server.ts'

export function load({ context }: LoadContext<'/members'>) {
  return { name: context.member, suggestions }
}
