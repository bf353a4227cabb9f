import { href } from 'hydrant/react'

/** Returns the URL of a document's page, or of the list of all documents for an empty path. */
export function hrefOfDocument(path: string, hash?: string): string {
  return path === '' ? href('/docs', {}, { hash }) : href('/docs/[...path]', { path }, { hash })
}
