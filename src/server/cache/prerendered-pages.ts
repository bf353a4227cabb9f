import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SourceFrame } from '../errors/failure-record.ts'
import { FORMATS, type Format } from '../http/formats.ts'
import { hashSource } from './fixed-document.ts'
import type { StoredResponse } from './shared/shared-store.ts'

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

/** Opens a build's prerendered responses; null if it has none. Throws a SyntaxError for a broken index. */
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
      return { ...redirect, location: createReplacer(index.origin, origin)(redirect.location) }
    },
    async read(file, origin) {
      // `hydrant build` has written this file too.
      const response = JSON.parse(await readFile(path(file), 'utf8')) as PrerenderedResponse
      return replaceOrigin(response, index.origin, origin)
    },
  }
}

// The responses that `hydrant build` renders: the folder `prerendered` of a build.

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

/** A redirect. Its location contains the index's `origin`, if it names the site. */
export interface PrerenderedRedirect {
  /** The value of the header `Location`, with the base. */
  location: string
  status: number
}

/** A response of a page with the status 200. The body and the values of the headers contain the index's `origin`. */
export type PrerenderedResponse = Pick<StoredResponse, 'body' | 'headers' | 'scripts' | 'styles'>

/** Returns the name of a form, its format and the layouts that the browser keeps: `html`, `navigation2`. */
export function formOf(format: Format, kept: number): string {
  return FORMATS[format].isNavigation ? `${format}${kept}` : format
}

/**
 * Replaces the origin `from` in a response with the origin `to`, at which a visitor sees the site. The origin is also
 * replaced where it is encoded for a URL (`http%3A%2F%2F`) or as JSON in JSON (`http:\/\/`), and so is the host
 * alone. If a script or style changes, its hash is computed again: the policy allows an inline script if and only if
 * it did so before.
 *
 * @param from A placeholder. The response must not contain its host for another reason.
 */
export function replaceOrigin(response: PrerenderedResponse, from: string, to: string): PrerenderedResponse {
  const { body, headers, scripts, styles } = response
  const replace = createReplacer(from, to)
  return {
    body: replace(body),
    headers: headers.map(([name, value]) => [name, replace(value)]),
    scripts: replaceHashes(body, 'script', scripts, replace),
    styles: replaceHashes(body, 'style', styles, replace),
  }
}

type Replace = (text: string) => string

/** Returns a function that puts the origin `to` in the place of `from` in a text. */
function createReplacer(from: string, to: string): Replace {
  const host = hostOf(from)
  const pattern = new RegExp(`(?:https?(:|%3A)((?:\\\\?/|%2F){2}))?${host.replaceAll('.', '\\.')}`, 'gi')
  const newHost = hostOf(to)
  const scheme = to.slice(0, to.indexOf(':'))
  return (text) =>
    text.replace(pattern, (_, colon: string | undefined, slashes: string | undefined) => {
      if (colon === undefined) return newHost
      return `${scheme}${colon}${slashes}${colon === ':' ? newHost : encodeURIComponent(newHost)}`
    })
}

const hostOf = (origin: string) => origin.slice(origin.indexOf('//') + 2)

/** Returns the hash sources of the elements that had one of `hashes`, after their texts have changed. */
function replaceHashes(
  body: string,
  name: 'script' | 'style',
  hashes: readonly string[],
  replace: Replace,
): readonly string[] {
  if (hashes.length === 0) return hashes
  const changed = new Map<string, string>()
  const end = `</${name}>`
  for (let at = body.indexOf(`<${name}`); at !== -1; at = body.indexOf(`<${name}`, at + 1)) {
    const start = body.indexOf('>', at) + 1
    const content = body.slice(start, body.indexOf(end, start))
    const replaced = replace(content)
    if (replaced !== content) changed.set(hashSource(content), hashSource(replaced))
  }
  return hashes.map((hash) => changed.get(hash) ?? hash)
}

/** A request for a page while the site is built. */
export interface CollectedRequest {
  /** The id of the request. */
  id: string
  /** The site's route: `/products/[id]`. */
  route: string
  /** The path, as Hydrant spells it, with the base. */
  path: string
  params: Record<string, string>
}

/** Takes the responses of prerendered pages while a site is built. */
export interface ResponseCollector {
  store(request: CollectedRequest, response: StoredResponse): void
  storeRedirect(request: CollectedRequest, redirect: PrerenderedRedirect): void
  /**
   * Takes the reason why a response is not the same for every visitor, as the end of a sentence.
   *
   * @param place The line that has read a value of the visitor; null if there is no such line.
   */
  refuse(request: CollectedRequest, reason: string, place: SourceFrame | null): void
}
