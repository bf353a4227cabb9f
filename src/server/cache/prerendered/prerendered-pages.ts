import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  INDEX_FILE,
  PRERENDERED_FOLDER,
  type PrerenderedIndex,
  type PrerenderedRedirect,
  type PrerenderedResponse,
} from './format.ts'
import { createReplacer, replaceOrigin } from './replace-origin.ts'

/** The responses that a build contains. */
export interface PrerenderedPages {
  index: PrerenderedIndex
  /** Returns the file of a form of the page at `path`; null if the build has none. */
  find(path: string, form: string): string | null
  /** Returns the redirect at `path` for the visitors of an origin; null if there is none. */
  findRedirect(path: string, origin: string): PrerenderedRedirect | null
  /** Reads a response for the visitors of an origin. Rejects if the file is missing or broken. */
  read(file: string, origin: string): Promise<PrerenderedResponse>
}

/**
 * Opens the prerendered responses of a build; null if it has none. Throws a SyntaxError if the index is broken.
 *
 * @param folder The build's folder.
 */
export function openPrerendered(folder: string): PrerenderedPages | null {
  const path = (file: string) => join(folder, PRERENDERED_FOLDER, file)
  if (!existsSync(path(INDEX_FILE))) return null
  // `hydrant build` has written it.
  const index = JSON.parse(readFileSync(path(INDEX_FILE), 'utf8')) as PrerenderedIndex
  const pages = new Map(index.pages.map((page) => [page.path, page]))
  return {
    index,
    find(address, form) {
      const forms = pages.get(address)?.forms
      return forms && Object.hasOwn(forms, form) ? (forms[form] ?? null) : null
    },
    findRedirect(address, origin) {
      const redirect = pages.get(address)?.redirect
      if (redirect === undefined) return null
      const replace = createReplacer(index.origin, origin)
      const { location, status, headers } = redirect
      return { status, location: replace(location), headers: headers.map(([name, value]) => [name, replace(value)]) }
    },
    async read(file, origin) {
      // `hydrant build` has written this file too.
      const response = JSON.parse(await readFile(path(file), 'utf8')) as PrerenderedResponse
      return replaceOrigin(response, index.origin, origin)
    },
  }
}
