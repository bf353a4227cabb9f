// What all routes of Hydrant's own have in common.

import type { FastifyInstance, FastifySchema } from 'fastify'

/** Schema of a route that tools which describe an app's API leave out, @fastify/swagger for one. */
export const HIDDEN: FastifySchema & { hide: true } = { hide: true }

/** A full path as the instance's own routes are written, which Fastify puts its prefix before. */
export function ownPath(app: FastifyInstance, path: string): string {
  return path.slice(app.prefix.length) || '/'
}
