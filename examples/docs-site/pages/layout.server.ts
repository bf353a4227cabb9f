import type { LayoutLoadContext } from 'hydrant'
import { z } from 'zod'

const Theme = z.enum(['light', 'dark', 'system']).catch('system')

export function load({ request }: LayoutLoadContext<'/'>) {
  return { theme: Theme.parse(request.cookies.theme) }
}
