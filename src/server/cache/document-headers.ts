import { hashPolicy } from '../http/security-headers.ts'
import type { StoredResponse } from './shared/shared-store.ts'

/** Values of headers of a stored document. They are the same for every visitor. */
export interface DocumentHeaders {
  policy: string
  cacheControl: string
  /** The tags for shared caches; null without any. */
  tags: string | null
}

const S = 1_000
const SEPARATORS = { 'cache-tag': ',', 'surrogate-key': ' ' }

export function createDocumentHeaders(
  { scripts, freshMs, staleMs, tags }: StoredResponse,
  tagHeader: keyof typeof SEPARATORS,
): DocumentHeaders {
  const stale = staleMs > 0 ? `, stale-while-revalidate=${Math.floor(staleMs / S)}` : ''
  return {
    policy: hashPolicy(scripts),
    cacheControl: `public, max-age=0, s-maxage=${Math.floor(freshMs / S)}${stale}`,
    tags: tags.length > 0 ? tags.join(SEPARATORS[tagHeader]) : null,
  }
}
