import type { SchemaIssue, SchemaResult } from '../../shared/standard-schema.ts'
import { isThenable } from '../../shared/wire/deferred-data.ts'
import { stackEnd } from '../util/stack-end.ts'
import type { PageSchema } from './page-schemas.ts'

export type Validated = { isValid: true; value: unknown } | { isValid: false; issues: readonly SchemaIssue[] }

/** Validates a value. Rejects with what the schema throws. */
export async function validate({ schema }: PageSchema, value: unknown): Promise<Validated> {
  await stackEnd
  const returned = schema['~standard'].validate(value)
  const result: SchemaResult<unknown> = isThenable(returned) ? await returned : returned
  return result.issues ? { isValid: false, issues: result.issues } : { isValid: true, value: result.value }
}
