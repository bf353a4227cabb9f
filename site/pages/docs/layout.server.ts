import type { LayoutLoadContext } from 'hydrant'
import { hrefOfDocument } from '../../content/document-href.ts'
import { listGroups } from '../../content/documents.server.ts'

export function load({ app }: LayoutLoadContext<'/docs'>) {
  return {
    version: app.hydrant.version,
    groups: listGroups().map(({ title, documents }) => ({
      title,
      links: documents.map(({ path, title }) => ({ href: hrefOfDocument(path), title })),
    })),
  }
}
