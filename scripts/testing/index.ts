// The public entry `hydrant/test`, for tests of a site.

import type { ComponentType, ReactNode } from 'react'
import { createFormRules, readSchema } from '../../src/server/schemas/page-schemas.ts'
import type { Field, InvalidForm } from '../../src/shared/page-types.ts'
import type { FieldName, PageRoute } from '../../src/shared/routes.ts'
import type { SchemaInput, StandardSchema } from '../../src/shared/standard-schema.ts'
import { createFields as createFieldsOf } from '../../src/shared/tree/fields.ts'
import type { PageValues, SubmissionAnswer } from './component-tests.ts'

export type { PageValues, SentSubmission, SubmissionAnswer } from './component-tests.ts'
export { createTestSite, type TestSite, type TestSiteOptions } from './test-site.ts'
export type { FormFields, SubmitOptions, TestPage, TestResponse } from './visitor.ts'
export { createVisitor, type Visitor } from './visitor.ts'

/**
 * Returns the prop `fields` of a page, for a test that renders the page's component without a server. Throws
 * HYD_SCHEMA_INVALID if the first argument is no schema.
 *
 * @param form The schema that the page's server file exports.
 * @param invalid The form that was not accepted: the prop `invalid` that the page gets.
 */
export function createFields<Schema extends StandardSchema>(
  form: Schema,
  invalid?: InvalidForm,
): { readonly [Name in FieldName<SchemaInput<Schema>>]: Field } {
  const rules = createFormRules(readSchema('form', form, 'createFields()')?.shape ?? null)
  // Any name has a field; the type has only those of the schema.
  return createFieldsOf(rules, invalid) as { readonly [Name in FieldName<SchemaInput<Schema>>]: Field }
}

/**
 * Returns a component that gives `useUrl`, `useParams` and `useLayoutData` their values, for a test that renders a component
 * without a server: `render(<Cart />, { wrapper: await createPageWrapper({ layouts: { '/shop': { cart } } }) })`.
 */
export async function createPageWrapper<const Route extends PageRoute>(
  values: PageValues<Route> = {},
): Promise<ComponentType<{ children?: ReactNode }>> {
  // The module loads React. `createTestSite` has to select React's build before that.
  const { wrapperOf } = await import('./component-tests.ts')
  return wrapperOf(values as PageValues)
}

/**
 * Sets the function that answers the submissions of `useSubmission`, in a test that renders components without a
 * server. It returns `{ data }` for an action that returned `data`. If it throws, the submission has an `error` with
 * the message. After this call, `refresh` and `prefetch` resolve without effect. Another call replaces the function.
 * Without a call, `submit` and `refresh` reject.
 */
export async function answerSubmissions(answer: SubmissionAnswer): Promise<void> {
  // The module loads React. `createTestSite` has to select React's build before that.
  const { replaceBrowser } = await import('./component-tests.ts')
  replaceBrowser(answer)
}
