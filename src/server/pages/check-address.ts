import type { PageExtras } from '../../shared/wire/page-extras.ts'
import type { Route } from '../build-output/load-build.ts'
import { runOutsideRequests } from '../cache/outside-requests.ts'
import type { RequestContext } from '../context/request-context.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { catchError } from '../failures/failure-context.ts'
import { createSearchError } from '../schemas/address-error.ts'
import type { PageSchema, PageSchemas } from '../schemas/page-schemas.ts'
import { validate } from '../schemas/validate.ts'
import { validateFields } from '../schemas/validate-fields.ts'
import { HttpError, NotFoundSignal } from '../thrown/http-error.ts'
import { DEADLINE } from '../util/deadline.ts'
import { noteParams } from './development-notes.ts'
import { writeExtras } from './page-extras.ts'
import type { CheckStep } from './site-guards.ts'
import { stopAtDeadline } from './stop-at-deadline.ts'

/** More parameters are refused. */
const MAX_PARAMETERS = 1_000

/**
 * Returns the function that validates the parameters and the query of a request with the page's schemas, and keeps
 * their output in `ctx.addressExtras`; null for a page without these schemas. The error is a 404 for parameters, a
 * 400 for a query, or the failure of a schema.
 */
export function createAddressCheck({ schemas, page, cache }: Route): CheckStep['check'] | null {
  const { params, search } = schemas
  if (params === null && search === null) return null
  const { serverFile } = page
  // Output that may be stored must not depend on the stores of a visitor.
  const run = cache ? runOutsideRequests : runHere

  return async (passed, ctx) => {
    const step: { running: PageSchema['name'] } = { running: 'params' }
    try {
      const check = () => checkBoth(schemas, step, ctx)
      const result = await Promise.race([run(check), passed])
      if (result === DEADLINE) {
        const { loadMs } = ctx.site.options.timeouts
        const error = createHydrantError('HYD_SCHEMA_TIMEOUT', [step.running, serverFile, loadMs])
        throw stopAtDeadline(error, ctx)
      }
      ctx.addressExtras = result
      // If the output cannot be sent to the browser, the error must name this file.
      run(() => writeExtras({}, serverFile, ctx))
      return null
    } catch (thrown) {
      ctx.addressExtras = null
      return catchError(thrown, 'load', { file: serverFile, function: step.running })
    }
  }
}

async function checkBoth(
  { params, search }: PageSchemas,
  step: { running: PageSchema['name'] },
  ctx: RequestContext,
): Promise<RequestContext['addressExtras'] & object> {
  const extras: PageExtras = {}
  if (params) extras.params = await checkParams(params, ctx)
  step.running = 'search'
  if (search) extras.search = await checkSearch(search, ctx)
  return extras
}

const runHere = <Result>(work: () => Result): Result => work()

async function checkParams(schema: PageSchema, ctx: RequestContext): Promise<unknown> {
  const result = await validate(schema, { ...ctx.params })
  if (result.isValid) return result.value
  noteParams(result.issues, schema, ctx)
  throw new NotFoundSignal()
}

async function checkSearch(schema: PageSchema, { search }: RequestContext): Promise<unknown> {
  const entries = [...new URLSearchParams(search)]
  if (entries.length > MAX_PARAMETERS)
    throw new HttpError(400, `The query of this address has more than ${MAX_PARAMETERS} parameters.`)
  const result = await validateFields(schema, entries)
  if (!result.isValid) throw createSearchError(result.issues)
  return result.value
}
