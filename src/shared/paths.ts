/** The path, relative to the base, below which all routes and files of Hydrant's own are. */
export const RESERVED_PATH = '/_hydrant'
export const ASSETS_PATH = `${RESERVED_PATH}/assets/`

/** Joins a base (`/` or `/shop`) and a path that starts with a slash. */
export function withBase(base: string, path: string): string {
  if (base === '/') return path
  return path === '/' ? base : base + path
}
