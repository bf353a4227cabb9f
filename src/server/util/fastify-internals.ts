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

/** Finds the symbol of a property of an object or its prototypes, such as one that Fastify has no function for. */
export function findSymbol(object: object, description: string): symbol | undefined {
  return chainOf(object)
    .flatMap((holder) => Object.getOwnPropertySymbols(holder))
    .find((symbol) => symbol.description === description)
}

/** Returns an object and its prototypes, without that of all objects. */
export function chainOf(object: object): object[] {
  const parent: object | null = Object.getPrototypeOf(object)
  return parent === null || parent === Object.prototype ? [object] : [object, ...chainOf(parent)]
}
