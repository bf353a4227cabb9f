/** The path, relative to the base, below which all routes and files of Hydrant's own are. */
export const RESERVED_PATH = '/_hydrant'
export const ASSETS_PATH = `${RESERVED_PATH}/assets/`
/** The path, relative to the base, below which an exported site has the lines of navigations. */
const PAGES_PATH = `${RESERVED_PATH}/pages/`

/**
 * Returns the path, relative to the base, of the file with the lines of a navigation to a page of an exported site. It
 * contains the build, so that a document of another build finds no file.
 *
 * @param path The path of the page, relative to the base. A slash at its end is ignored.
 */
export function navigationFile(build: string, path: string): string {
  return `${PAGES_PATH}${build}${path.replace(/\/$/, '') || '/index'}.txt`
}

/** Joins a base (`/` or `/shop`) and a path that starts with a slash. */
export function withBase(base: string, path: string): string {
  if (base === '/') return path
  return path === '/' ? base : base + path
}

/** The name of an action in the export `actions` of a page. */
export const ACTION_NAME = /^[a-z][\w-]*$/i

/**
 * Returns the name of the action in a query (`?/comment`), or an empty text, and the query without it. Other software may
 * sort the parameters, encode the slash, and add `=`.
 */
export function splitAction(query: string): { name: string; search: string } {
  const parts = query.slice(1).split('&')
  const nameOf = (part: string) => /^(?:\/|%2F)([a-z][\w-]*)=?$/i.exec(part)?.[1]
  const rest = parts.filter((part) => nameOf(part) === undefined).join('&')
  return { name: parts.map(nameOf).find((name) => name !== undefined) ?? '', search: rest && `?${rest}` }
}

/** Decodes the percent-encoded characters of a text. Returns a malformed text as it is. */
export function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
