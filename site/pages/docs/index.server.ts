import { hrefOfDocument } from '../../content/document-href.ts'
import { listGroups } from '../../content/documents.server.ts'

export const prerender = true

export function load() {
  return {
    groups: listGroups().map(({ title, documents }) => ({
      title,
      documents: documents.map(({ path, title, about, description }) => ({
        href: hrefOfDocument(path),
        title,
        about: about ?? description,
      })),
    })),
  }
}
