import { SCHEMA_EXPORTS } from '../../../src/server/schemas/page-schemas.ts'
import type { StandardSchema } from '../../../src/shared/standard-schema.ts'

/** The placeholder of a function. */
export const UNLOADED = () => null

const unloadedSchema: StandardSchema = {
  '~standard': { version: 1, vendor: 'hydrant', validate: (value) => ({ value }) },
}

/** The placeholders of exports that are not functions. */
const PLACEHOLDERS = new Map<string, unknown>([
  ['stream', true],
  ['hydrate', false],
  ['cache', { maxAgeS: 0 }],
  ['prerender', undefined],
  ...SCHEMA_EXPORTS.map((name) => [name, unloadedSchema] as const),
])

/** Creates values for the exports of a module that is not loaded. */
export function createPlaceholders(names: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, PLACEHOLDERS.has(name) ? PLACEHOLDERS.get(name) : UNLOADED]))
}
