import { createRequire } from 'node:module'
import type { FastifyServerOptions } from 'fastify'

/**
 * Fastify's option `schemaController` for an instance whose routes have no schemas for validation and serialization.
 * Fastify loads Ajv and fast-json-stringify only when they are used, for example by `request.validateInput`. Fastify
 * does not adapt the schemas of headers for compilers that an option has set, so an instance with routes of others
 * needs Fastify's own.
 *
 * perf: loaded only when used, the first page after 327 ms instead of 390 ms, commit 10fcc48b
 */
export const LAZY_COMPILERS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: {
    buildValidator: (...args: unknown[]) => requireFromFastify('@fastify/ajv-compiler')()(...args),
    buildSerializer: (...args: unknown[]) => requireFromFastify('@fastify/fast-json-stringify-compiler')()(...args),
  },
}

/** Loads a package that Fastify depends on, so that it is found from Fastify's folder. */
function requireFromFastify(name: string) {
  const { resolve } = createRequire(import.meta.url)
  return createRequire(resolve('fastify'))(name)
}
