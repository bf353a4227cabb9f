/** Everything of Hydrant's own lies below this path, behind the base. */
export const RESERVED_PATH = '/_hydrant'
export const ASSETS_PATH = `${RESERVED_PATH}/assets/`

/** Joins the base (`/` or `/shop`) and a path that starts with a slash. */
export function withBase(base: string, path: string): string {
  if (base === '/') return path
  return path === '/' ? base : base + path
}
