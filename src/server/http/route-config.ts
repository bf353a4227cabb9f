import type { FastifyRequest } from 'fastify'

/**
 * The kind of a route of Hydrant: `page` for pages, actions, navigations and unknown paths, `health` for probes,
 * `asset` for scripts and stylesheets, `file` for files of `public/`, `report` for reports of browsers.
 */
export type HydrantRoute = 'page' | 'health' | 'asset' | 'file' | 'report'

/** Settings of a route of `server.ts`: `config: { hydrant: { csrf: false } }`. */
export interface RouteSettings {
  /** False for a route that accepts requests of other sites, with the visitor's cookies (true). */
  csrf?: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The kind of Hydrant's routes, for hooks: `request.routeOptions.config.hydrant`. Other routes may have settings. */
    hydrant?: HydrantRoute | RouteSettings
    /** The route's name in the log and the metrics (its URL). */
    hydrantRoute?: string
  }
}

/**
 * Returns the route's name in the log and the metrics. It is a pattern, so it contains nothing that the client has
 * sent.
 */
export function routeOf({ routeOptions: { config, url } }: FastifyRequest): string {
  return config?.hydrantRoute ?? url ?? '*'
}

// @fastify/rate-limit reads it. Load balancers check the health often, a page has many assets, and reports have their
// own limits.
const NOT_LIMITED = { rateLimit: false }

/** Returns the configuration of a page's route. `pattern` is `*` for unknown paths. */
export const pageRoute = (pattern: string) => ({ hydrant: 'page', hydrantRoute: pattern }) as const

export const HEALTH_ROUTE = { hydrant: 'health', ...NOT_LIMITED } as const
export const ASSET_ROUTE = { hydrant: 'asset', ...NOT_LIMITED } as const
/** All public files share one name in the log and the metrics. */
export const FILE_ROUTE = { hydrant: 'file', hydrantRoute: 'public/*' } as const
export const REPORT_ROUTE = { hydrant: 'report', ...NOT_LIMITED } as const

/** Whether the request is for `/_hydrant/live` or `/_hydrant/ready`. */
export function isHealthRoute({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config?.hydrant === HEALTH_ROUTE.hydrant
}
