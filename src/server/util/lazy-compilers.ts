import { createRequire } from 'node:module'
import type { FastifyServerOptions } from 'fastify'

// Fastify itself depends on the two packages, so they are found from its folder.
const requireOfFastify = createRequire(createRequire(import.meta.url).resolve('fastify'))

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
    buildValidator: (...words: unknown[]) => requireOfFastify('@fastify/ajv-compiler')()(...words),
    buildSerializer: (...words: unknown[]) => requireOfFastify('@fastify/fast-json-stringify-compiler')()(...words),
  },
}
