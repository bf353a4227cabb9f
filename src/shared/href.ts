import { base } from './base.ts'
import type { Params } from './page-types.ts'

/**
 * The site's pages by their routes. `hydrant build` and `hydrant dev` write them into `hydrant-env.d.ts`; without that
 * file it is empty, and any path may be given to `href`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: what a site's own declarations add to
export interface Routes {}

/** A page as its folder and file say it: `/products/[id]`, without groups. */
export type RouteId = keyof Routes extends never ? `/${string}` : keyof Routes & string

/** What `href` puts into the places of a route's parameters: `{ id: string | number }` for `/products/[id]`. */
export type HrefParams<Route extends string> = { [Name in keyof Params<Route>]: string | number }

export interface HrefOptions {
  /** The query. `undefined` leaves a name out, a list repeats it. */
  search?:
    | Readonly<Record<string, string | number | boolean | undefined | readonly (string | number | boolean)[]>>
    | URLSearchParams
    | undefined
  /** What stands behind `#`, with or without it. */
  hash?: string | undefined
}

// No literal can be missing from a record, while a record of a pattern may be empty.
type IsLiteral<Route extends string> = Record<never, never> extends Record<Route, 1> ? false : true

/** What `href` takes behind the route: its parameters, when it has some, and the rest of the address. */
export type HrefArguments<Route extends string> =
  IsLiteral<Route> extends false
    ? [params?: Readonly<Record<string, string | number>>, options?: HrefOptions]
    : keyof Params<Route> extends never
      ? [params?: Readonly<Record<string, never>>, options?: HrefOptions]
      : [params: Readonly<HrefParams<Route>>, options?: HrefOptions]

/**
 * The URL of a page, below the base: `href('/products/[id]', { id: 7 })` is `/products/7`, and `/shop/products/7` where
 * the site is mounted at `/shop`. Works wherever a site's code runs, in the browser and on the server, also outside of
 * components. Values are encoded; the slashes of a catch-all's value stay.
 *
 * Throws a TypeError for a value that is missing, empty or neither a string nor a number, and for one that would lead to another page: `.` and `..`
 * as segments, a slash at the beginning of the whole path.
 *
 * @param route The page as its file says it; known pages only, once `hydrant-env.d.ts` is there.
 */
export function href<const Route extends RouteId>(route: Route, ...[params, options]: HrefArguments<Route>): string {
  const path = route
    .split('/')
    .map((segment) => fillSegment(segment, route, params ?? {}))
    .join('/')
  if (path.startsWith('//')) throw new TypeError(`href('${route}'): "${path}" would lead to another host`)
  const own = base && path === '/' ? base : base + path
  return own + searchOf(route, options?.search) + hashOf(options?.hash)
}

function fillSegment(segment: string, route: string, params: Readonly<Record<string, string | number>>): string {
  const [, dots, name] = /^\[(\.\.\.)?(.+)]$/.exec(segment) ?? []
  if (name === undefined) return segment
  const value = Object.hasOwn(params, name) ? textOf(params[name] ?? '', PARAM, route, name) : ''
  if (value === '') throw new TypeError(`href('${route}'): "${name}" is missing or empty`)
  const parts = dots ? value.split('/') : [value]
  if (parts.includes('.') || parts.includes('..')) {
    throw new TypeError(`href('${route}'): "${name}" must not have the segment "." or ".."; got "${value}"`)
  }
  return parts.map(encodeURIComponent).join('/')
}

// Anything else would be `[object Object]` or the like in the address, and lead to no page.
function textOf(value: unknown, types: readonly string[], route: string, name: string): string {
  if (types.includes(typeof value)) return String(value)
  const given = Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
  throw new TypeError(`href('${route}'): "${name}" must be a ${types.join(' or a ')}; got ${given}`)
}

const PARAM = ['string', 'number']
const SEARCH = [...PARAM, 'boolean']

function searchOf(route: string, search: HrefOptions['search'] = {}): string {
  const query = new URLSearchParams(Symbol.iterator in search ? search : '')
  if (!(Symbol.iterator in search)) {
    for (const [name, value] of Object.entries(search)) {
      for (const one of [value ?? []].flat()) query.append(name, textOf(one, SEARCH, route, name))
    }
  }
  const text = query.toString()
  return text && `?${text}`
}

function hashOf(hash = ''): string {
  const text = hash.replace(/^#/, '')
  return text && `#${encodeURI(text)}`
}
