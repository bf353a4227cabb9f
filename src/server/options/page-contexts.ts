// The types of the functions and exports of a site's server files.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type {
  FormOutput,
  GuardResults,
  LayoutRoute,
  Layouts,
  PageParams,
  PageRoute,
  ParamsOf,
  Routes,
  SearchOutput,
} from '../../shared/routes.ts'

interface Context {
  /** Fastify's request, with the decorators of your plugins. */
  request: FastifyRequest
  /** Fastify's reply, for setting headers, cookies or a status. */
  reply: FastifyReply
  /** The Fastify instance, with its decorators. */
  app: FastifyInstance
  /** The URL of the page as the visitor sees it, with the public host and protocol. */
  url: URL
  /** Aborts when the client disconnects or the deadline passes (`timeouts.loadMs`, then `timeouts.renderMs`). */
  signal: AbortSignal
}

/**
 * The argument of a page's `guard`: `guard({ context }: GuardContext<'/members/orders'>)`. Without a route it is the
 * argument of any `guard`.
 */
export interface GuardContext<Route extends PageRoute = never> extends Context {
  /** The output of the schema `params`; without one, the parameters of the path, decoded once. */
  params: PageParams<Route>
  /** The output of the schema `search`; `undefined` without one. */
  search: SearchOutput<Route>
  /** The merged results of the guards that have run before: those of the layouts around the page. */
  context: GuardResults<Routes, Route, 'outer'>
}

/** The argument of a layout's `guard`: `guard({ request }: LayoutGuardContext<'/members'>)`. */
export interface LayoutGuardContext<Route extends LayoutRoute = never> extends Context {
  /** Parameters of the layout's folder, decoded once. */
  params: ParamsOf<Layouts, Route>
  /** The merged results of the guards that have run before: those of the layouts around this one. */
  context: GuardResults<Layouts, Route, 'outer'>
}

/**
 * The argument of a page's `load`: `load({ params }: LoadContext<'/products/[id]'>)`. Without a route it is the argument
 * of any `load`, for functions that several of them call.
 */
export interface LoadContext<Route extends PageRoute = never> extends Context {
  /** The output of the schema `params`; without one, the parameters of the path, decoded once. */
  params: PageParams<Route>
  /** The output of the schema `search`; `undefined` without one. */
  search: SearchOutput<Route>
  /** The merged results of the guards of the layouts around the page, and of its own. */
  context: GuardResults<Routes, Route, 'own'>
}

/** The argument of a layout's `load`: `load({ app }: LayoutLoadContext<'/products'>)`. */
export interface LayoutLoadContext<Route extends LayoutRoute = never> extends Context {
  /** Parameters of the layout's folder, decoded once. */
  params: ParamsOf<Layouts, Route>
  /** The merged results of the guards of the layouts around this one, and of its own. */
  context: GuardResults<Layouts, Route, 'own'>
}

/**
 * The argument of an `action` function: `action({ form }: ActionContext<'/products/[id]'>)`. Without a route it is the
 * argument of any `action`.
 */
export interface ActionContext<Route extends PageRoute = never> extends LoadContext<Route> {
  /**
   * The form that was sent, urlencoded or multipart; empty for any other body. Its files lie on the disk until the
   * answer has been sent. JSON is in `request.body`.
   */
  form: FormData
  /** The output of the schema `form` for the form, or for a JSON body; `undefined` without the schema. */
  input: FormOutput<Route>
}

/**
 * The export `cache` of a page's server file: `export const cache: CacheOptions<'/products/[id]'> = { maxAgeS: 60 }`. It
 * declares that the page is the same for every visitor.
 */
export interface CacheOptions<Route extends PageRoute = never> {
  /** Seconds for which a stored response is served. */
  maxAgeS: number
  /** Seconds after `maxAgeS` in which the old response is served while one new response is rendered (0). */
  staleS?: number
  /**
   * Names by which `app.pageCache.invalidate` removes the response (none). Each has 1 to 256 visible ASCII characters
   * without commas.
   */
  tags?: readonly string[] | ((page: Pick<LoadContext<Route>, 'params' | 'search'>) => readonly string[])
  /** The query parameters that the page reads. Its loads see no other parameter (none). */
  search?: readonly string[]
}

/**
 * An address of a page that `hydrant build` renders: its path (`/products/7`), also as `href` returns it, or the values
 * of the parameters in its path.
 */
export type PrerenderedAddress<Route extends PageRoute = never> =
  | string
  | { readonly params: { readonly [Name in keyof ParamsOf<Routes, Route>]: string | number } }

/**
 * The export `prerender` of a page: `export const prerender: Prerender<'/products/[id]'> = () => [{ params: { id: 7 } }]`.
 * `hydrant build` renders the page at these addresses. `true` is for a page whose path has no parameters.
 */
export type Prerender<Route extends PageRoute = never> =
  | true
  | (() => readonly PrerenderedAddress<Route>[] | Promise<readonly PrerenderedAddress<Route>[]>)
