import type { Site } from '../context/site.ts'

/** Returns the element that loads the script of the browser's side. */
export function entryScript({ build }: Site, nonce: string): string {
  return `<script type="module" src="${build.entry.url}" nonce="${nonce}" async=""></script>`
}

/**
 * Returns the script of a document that is not hydrated. In development it shows errors, and loads the document again
 * after a change of the site. In production it is empty.
 */
export function updateScript(site: Site, nonce: string): string {
  return site.build.manifest.mode === 'development' ? entryScript(site, nonce) : ''
}
