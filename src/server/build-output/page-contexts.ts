// The types of the functions and exports of a site's server files.

import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
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
  ServerExport,
} from '../../shared/routes.ts'

/** The methods of a log that write a line. */
export type LoadLog = Pick<FastifyBaseLogger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'>

interface Context {
  /**
   * Fastify's request, with the decorators of your plugins. If a load of a page with `cache` touches it, the response is
   * for this visitor only and is not stored (HYD_CACHE_PERSONAL). The same applies to `reply` and `context`.
   */
  request: FastifyRequest
  /** Fastify's reply. Use it to set headers, cookies or the status. */
  reply: FastifyReply
  /** Writes lines to the log of the request: `log.info({ count }, 'found')`. Loads of a page with `cache` may use it. */
  log: LoadLog
  /** The Fastify instance, with its decorators. */
  app: FastifyInstance
  /** The URL of the page as the visitor sees it, with the public host and protocol. */
  url: URL
  /**
   * Aborts when the client disconnects, or when `timeouts.loadMs` or, after the loads, `timeouts.renderMs` has
   * passed.
   */
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
 * The argument of a page's `load` and `loadVisitor`: `load({ params }: LoadContext<'/products/[id]'>)`. Without a
 * route it is the argument of any `load`, for functions that several loads call.
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
 * argument of any `action`. One of the page's `actions` with a schema names it:
 * `ActionContext<'/products/[id]', typeof commentSchema>`.
 */
export interface ActionContext<Route extends PageRoute = never, Schema = ServerExport<Route, 'form'>>
  extends LoadContext<Route> {
  /**
   * The form that was sent, urlencoded or multipart; empty for any other body. Its files are on the disk until the
   * response has been sent. A JSON body is in `request.body`.
   */
  form: FormData
  /** The output of the schema `form` for the form or the JSON body; `undefined` without the schema. */
  input: FormOutput<Schema>
}

/**
 * The export `cache` of a page's server file: `export const cache: CacheOptions<'/products/[id]'> = { maxAgeS: 60 }`.
 * It declares that the page is the same for every visitor. Without it, the page is rendered for each request. If the
 * value is not valid, the server does not start (HYD_CACHE_INVALID).
 */
export interface CacheOptions<Route extends PageRoute = never> {
  /** Seconds for which a stored response is served, from 0 to a year (31 536 000). */
  maxAgeS: number
  /**
   * Seconds after `maxAgeS` for which the old response is served while one new response is rendered (0). At most a
   * year.
   */
  staleS?: number
  /**
   * Names by which `app.pageCache.invalidate` removes the response: a list, or a function that returns one (none). A
   * response has at most 100 tags, and none is empty. Otherwise the request fails with HYD_CACHE_TAGS. If a tag is
   * longer than 256 characters after it has been percent-encoded, a hash replaces its end in headers.
   */
  tags?: readonly string[] | ((page: Pick<LoadContext<Route>, 'params' | 'search'>) => readonly string[])
  /** Names of the query parameters that the page reads. Its loads see no other parameter (none). */
  search?: readonly string[]
}

/**
 * An address of a page that `hydrant build` renders: the path (`'/products/7'`, or the result of `href`), or the
 * values of the parameters in the path (`{ params: { id: 7 } }`). A path has no query.
 */
export type PrerenderedAddress<Route extends PageRoute = never> =
  | string
  | { readonly params: { readonly [Name in keyof ParamsOf<Routes, Route>]: string | number } }

/**
 * The export `prerender` of a page:
 * `export const prerender: Prerender<'/products/[id]'> = () => [{ params: { id: 7 } }]`. `hydrant build` calls the
 * function, and renders the page at the addresses that it returns within a minute. `true` is for a page whose path has
 * no parameters. Without this export, the page is rendered for each request.
 *
 * The build fails with HYD_PRERENDER_INVALID for another value or address, with HYD_PRERENDER_SERVER for a page that
 * needs a server, with HYD_PRERENDER_PERSONAL if a load reads the visitor, with HYD_PRERENDER_FAILED after a failure,
 * and with HYD_PRERENDER_RESPONSE for a response that is not the page.
 */
export type Prerender<Route extends PageRoute = never> =
  | true
  | (() => readonly PrerenderedAddress<Route>[] | Promise<readonly PrerenderedAddress<Route>[]>)
