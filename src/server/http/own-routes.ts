// Properties that all of Hydrant's own routes share.

import type { FastifyInstance, FastifySchema } from 'fastify'

/** The schema of routes that tools such as @fastify/swagger leave out of an app's API description. */
export const HIDDEN: FastifySchema & { hide: true } = { hide: true }

/** Removes the instance's prefix from a full path. Fastify adds it again when the route is registered. */
export function ownPath(app: FastifyInstance, path: string): string {
  return (app.prefix === '/' ? path : path.slice(app.prefix.length)) || '/'
}
