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

/** Decodes the percent-encoded characters of a text. Returns a malformed text as it is. */
export function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
