import { type LoadContext, notFound, type Prerender, redirect } from 'hydrant'
import { hrefOfDocument } from '../../content/document-href.ts'
import { findDocument, htmlOf, listDocuments, listNeighbors } from '../../content/documents.server.ts'
import { editHref } from '../../content/edit-href.ts'
import { moved } from '../../content/moved.ts'

export const prerender: Prerender<'/docs/[...path]'> = () => listDocuments().map(({ path }) => ({ params: { path } }))

export function load({ app, params }: LoadContext<'/docs/[...path]'>) {
  const document = findDocument(params.path)
  if (!document) redirectToNewAddress(params.path)
  const { title, description, heading, headings, sections, file } = document
  return {
    ...{ title, description, heading, headings },
    id: sections[0]?.id,
    html: htmlOf(document),
    // The list of a folder has no file.
    source: file.endsWith('/') ? null : { file, href: editHref(app.hydrant.repository, file) },
    neighbors: listNeighbors(document),
  }
}

function redirectToNewAddress(path: string): never {
  const target = moved.get(path) ?? path.replace(/(?:\/README)?\.md$/, '')
  if (findDocument(target)) redirect(hrefOfDocument(target), 301)
  notFound()
}
