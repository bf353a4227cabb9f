import type { FastifyRequest } from 'fastify'

/** What one of Hydrant's routes is for. */
export type HydrantRoute = 'page' | 'health' | 'asset' | 'file' | 'report'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on Hydrant's routes, for hooks of an app: `request.routeOptions.config.hydrant`. */
    hydrant?: HydrantRoute
    /** What the route is called in the log and the metrics, unless it is its URL. */
    hydrantRoute?: string
  }
}

/** The route's name in the log and the metrics. A pattern: nothing in it is what the visitor has sent. */
export function routeOf({ routeOptions: { config, url } }: FastifyRequest): string {
  return config?.hydrantRoute ?? url ?? '*'
}

// Read by @fastify/rate-limit. Supervisors ask often; one page has many assets; reports have limits of their own.
const NOT_LIMITED = { rateLimit: false }

/** Of a page, by its pattern; `*` for what is no page. */
export const pageRoute = (pattern: string) => ({ hydrant: 'page', hydrantRoute: pattern }) as const

export const HEALTH_ROUTE = { hydrant: 'health', ...NOT_LIMITED } as const
export const ASSET_ROUTE = { hydrant: 'asset', ...NOT_LIMITED } as const
/** One name for all of them. */
export const FILE_ROUTE = { hydrant: 'file', hydrantRoute: 'public/*' } as const
export const REPORT_ROUTE = { hydrant: 'report', ...NOT_LIMITED } as const

export function isHealthRoute({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config?.hydrant === HEALTH_ROUTE.hydrant
}
