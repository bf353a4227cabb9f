// The public entry `hydrant/test`, for tests of a site.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { ComponentType, ReactNode } from 'react'
import type { CreateServerOptions } from '../../src/server/create-server.ts'
import type { FailureRecord } from '../../src/server/errors/failure-record.ts'
import { createFormRules, readSchema } from '../../src/server/schemas/page-schemas.ts'
import type { Field, InvalidForm } from '../../src/shared/page-types.ts'
import type { FieldName, PageRoute } from '../../src/shared/routes.ts'
import type { SchemaInput, StandardSchema } from '../../src/shared/standard-schema.ts'
import { createFields as createFieldsOf } from '../../src/shared/tree/fields.ts'
import { buildOnce, listInputs } from './build-once.ts'
import type { PageValues, SubmissionAnswer } from './component-tests.ts'
import { createVisitor, type Visitor } from './visitor.ts'

export type { PageValues, SentSubmission, SubmissionAnswer } from './component-tests.ts'
export type { FormFields, SubmitOptions, TestPage, TestResponse } from './visitor.ts'
export { createVisitor, type Visitor }

/** Options of `createTestSite`: those of `createServer`, and these. */
export interface TestSiteOptions extends Omit<CreateServerOptions, 'dir' | 'buildDir'> {
  /** The site's folder (the working directory). */
  dir?: string
  /**
   * Whether to build the site if its files have changed since the last build for tests. With false, the tests use the
   * build that exists; HYD_BUILD_MISSING if there is none (true).
   */
  build?: boolean
  /** The public origin of the site (`http://localhost`). */
  origin?: string
}

/** A site under test. It is a visitor itself, with cookies of its own. */
export interface TestSite extends Visitor {
  /** The Fastify instance that serves the site. For tests in a browser, call its `listen`. */
  app: FastifyInstance
  /** The failures so far, the oldest first, with their errors and stacks. Visitors only see digests. */
  failures: readonly FailureRecord[]
  /** Returns another visitor, without cookies. */
  visitor(): Visitor
  /** Closes the server. */
  close(): Promise<void>
}

/**
 * Serves a site for tests, without a port. If the site's files have changed, it builds the site first. There is no
 * ledger and no log, unless these options turn them on. Sets `NODE_ENV` to `production`, because it makes a
 * production build. Rejects with HYD_TEST_BUILD if the site does not build, and with the errors of `createServer`.
 */
export async function createTestSite(given: TestSiteOptions = {}): Promise<TestSite> {
  const { dir = '.', build = true, origin, onFailure, ...options } = given
  // `NODE_ENV` selects React's build, so React is imported after this.
  process.env.NODE_ENV = 'production'
  if (build) {
    await buildOnce(dir)
    watchFiles(listInputs(resolve(dir)))
  }
  const { createServer } = await import('../../src/server/index.ts')
  const failures: FailureRecord[] = []
  const app = await createServer({
    ledger: false,
    logger: false,
    ...options,
    dir,
    onFailure(failure) {
      failures.push(failure)
      return onFailure?.(failure)
    },
  })
  const visitor = () => createVisitor(app, origin)
  return { ...visitor(), app, failures, visitor, close: () => app.close() }
}

/** `node --test --watch` sets this variable for the processes of tests. They report the files to watch. */
const VARIABLE = 'WATCH_REPORT_DEPENDENCIES'

/**
 * Makes `node --test --watch` run the test again after a change of one of these files. It no longer does so for
 * modules that are imported after this call. Otherwise Node.js would watch the site's build instead of the sources,
 * and would stop each run that builds.
 */
function watchFiles(files: readonly string[]): void {
  if (!process.env[VARIABLE]) return
  // Node.js ignores the rest of the list after a file that does not exist.
  process.send?.({ 'watch:require': files.filter((file) => existsSync(file)) })
  delete process.env[VARIABLE]
}

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
