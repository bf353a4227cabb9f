import type { LoadContext } from 'hydrant'
import { z } from 'zod'
import { searchSections } from '../content/search.server.ts'

export const search = z.object({ q: z.string().trim().max(100).default('') })

export function load({ search }: LoadContext<'/search'>) {
  return { results: searchSections(search.q) }
}
