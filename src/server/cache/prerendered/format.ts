// The responses that `hydrant build` renders: the folder `prerendered` of a build.

import type { Format } from '../../http/negotiate.ts'
import type { StoredResponse } from '../shared/shared-store.ts'

/** The folder of the prerendered responses, inside the build's folder. */
export const PRERENDERED_FOLDER = 'prerendered'
/** The index in that folder: a `PrerenderedIndex` as JSON. It is missing if the site has no prerendered page. */
export const INDEX_FILE = 'index.json'

/** The conditions under which the responses of a build are valid, and the files of these responses. */
export interface PrerenderedIndex {
  /** The id of the build whose code rendered them. */
  build: string
  /** The base that the pages were rendered for. */
  base: string
  /** The origin in bodies and headers, a placeholder for the origin at which visitors see the site. */
  origin: string
  /** The public variables in the documents, as `publishEnv` returns them. */
  publicEnv: string | null
  /** Whether browsers that load the documents report failures. */
  mayReport: boolean
  /** Sorted by path. */
  pages: PrerenderedPage[]
}

export interface PrerenderedPage {
  /** The site's route: `/products/[id]`. */
  route: string
  /** The path as a browser sends it, with the base: `/shop/products/7`. */
  path: string
  /**
   * The file of each form, by the name of the form: see `formOf`. It contains a `PrerenderedResponse` as JSON. Its name
   * is a hash of the contents, so a server that still runs this build never reads a file of the next one.
   */
  forms: Record<string, string>
  /** The redirect, if the load redirects. Then there are no forms. */
  redirect?: PrerenderedRedirect
}

/** A redirect. Its location and the values of its headers contain the index's `origin`, if they name the site. */
export interface PrerenderedRedirect {
  /** The value of the header `Location`, with the base. */
  location: string
  status: number
  /** The headers that the load has set. */
  headers: readonly [name: string, value: string][]
}

/** A response of a page with the status 200. The body and the values of the headers contain the index's `origin`. */
export type PrerenderedResponse = Pick<StoredResponse, 'body' | 'headers' | 'scripts' | 'styles'>

/**
 * Returns the name of a form, which is a format and, for a navigation, the number of layouts that the browser keeps:
 * `html`, `json`, `markdown`, `navigation2`.
 */
export function formOf(format: Format, kept: number): string {
  return format === 'navigation' ? `navigation${kept}` : format
}
