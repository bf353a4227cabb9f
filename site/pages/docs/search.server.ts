import type { CacheOptions, LoadContext } from 'hydrant'
import { z } from 'zod'
import { searchDocuments } from '../../content/search-documents.server.ts'

/** A query that is too long is cut: the rest could not find more. */
const LONGEST = 200

export const search = z.object({
  q: z
    .string()
    .default('')
    .catch('')
    .transform((text) => text.trim().slice(0, LONGEST)),
})

export const cache: CacheOptions<'/docs/search'> = { maxAgeS: 600, search: ['q'] }

export function load({ search }: LoadContext<'/docs/search'>) {
  return searchDocuments(search.q)
}
