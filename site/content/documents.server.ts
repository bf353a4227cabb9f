import { gunzipSync } from 'node:zlib'
import type { SiteDocument } from '../documentation/site-document.ts'
import { hrefOfDocument } from './document-href.ts'
import compressed from './documentation.toc'

export type { SiteDocument }

let parsed: readonly SiteDocument[] | undefined

/** Returns all documents, in the order in which the site lists them. Files that are not Markdown are at the end. */
export function listDocuments(): readonly SiteDocument[] {
  // The cast is safe: the build has written the text, see documentation/plugin.ts. Most processes never need it.
  parsed ??= JSON.parse(gunzipSync(Buffer.from(compressed, 'base64')).toString()) as SiteDocument[]
  return parsed
}

export function findDocument(path: string): SiteDocument | undefined {
  return listDocuments().find((document) => document.path === path)
}

/** Returns the documents with a page in the list, by their groups. */
export function listGroups(): { title: string; documents: readonly SiteDocument[] }[] {
  const documents = listDocuments()
  const titles = new Set(documents.flatMap(({ group }) => group ?? []))
  return [...titles].map((title) => ({ title, documents: documents.filter(({ group }) => group === title) }))
}

/** Returns the HTML of a document with the addresses of this site. */
export function htmlOf({ html }: SiteDocument): string {
  return html.replace(/ href="docs:([^"#]*)/g, (_, path: string) => ` href="${hrefOfDocument(path)}`)
}

/** Returns the links to the documents before and after this one. A file that is not Markdown has none. */
export function listNeighbors(document: SiteDocument) {
  const chapters = listDocuments().filter(({ sections }) => sections.length > 0)
  const index = chapters.indexOf(document)
  const toLink = (one: SiteDocument | undefined) => one && { href: hrefOfDocument(one.path), title: one.title }
  if (index === -1) return { previous: undefined, next: undefined }
  return { previous: toLink(chapters[index - 1]), next: toLink(chapters[index + 1]) }
}
