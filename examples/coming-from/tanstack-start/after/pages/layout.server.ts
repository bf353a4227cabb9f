import type { LayoutLoadContext } from 'hydrant'
import { readMember } from '../lib/session.server.ts'

export function load({ request }: LayoutLoadContext<'/'>) {
  return { member: readMember(request) }
}
