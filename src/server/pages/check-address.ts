import type { PageExtras } from '../../shared/wire/page-extras.ts'
import type { Route } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { createSearchError } from '../schemas/address-error.ts'
import { createFormObject } from '../schemas/form-object.ts'
import { toIssues } from '../schemas/issues.ts'
import type { PageSchema } from '../schemas/page-schemas.ts'
import { validate } from '../schemas/validate.ts'
import { HttpError, NotFoundSignal } from '../thrown/http-error.ts'
import { createDeadline, DEADLINE } from '../util/deadline.ts'
import { writeExtras } from './page-extras.ts'
import { type CaughtError, catchError } from './resolve-error.ts'

/** More parameters are refused. */
const MAX_PARAMETERS = 1_000

/**
 * Validates the parameters and the query of a request with the page's schemas, and keeps their output in
 * `ctx.addressExtras`. Returns null if both match. Otherwise returns the error: a 404 for parameters, a 400 for a query,
 * or the failure of a schema. Never rejects.
 */
export async function checkAddress(route: Route, ctx: RequestContext): Promise<CaughtError | null> {
  const { params, search } = route.schemas
  if (params === null && search === null) return null
  const { loadMs } = ctx.site.options.timeouts
  const deadline = createDeadline(loadMs)
  let running = params ?? search
  try {
    const extras: PageExtras = {}
    if (params) extras.params = await inTime(checkParams(params, ctx))
    running = search ?? running
    if (search) extras.search = await inTime(checkSearch(search, ctx))
    ctx.addressExtras = extras
    // What cannot be sent to the browser is found here, where the error has its place.
    writeExtras({}, route.page.serverFile, ctx)
    return null
  } catch (thrown) {
    ctx.addressExtras = null
    return catchError(thrown, 'load', { file: route.page.serverFile, function: running?.name ?? 'search' })
  } finally {
    deadline.clear()
  }

  async function inTime(checking: Promise<unknown>): Promise<unknown> {
    const result = await Promise.race([checking, deadline.passed])
    if (result !== DEADLINE) return result
    checking.catch(() => {})
    throw createHydrantError('HYD_SCHEMA_TIMEOUT', [running?.name ?? '', route.page.serverFile, loadMs])
  }
}

async function checkParams(schema: PageSchema, { params }: RequestContext): Promise<unknown> {
  const result = await validate(schema, { ...params })
  if (!result.isValid) throw new NotFoundSignal()
  return result.value
}

async function checkSearch(schema: PageSchema, { search }: RequestContext): Promise<unknown> {
  const entries = [...new URLSearchParams(search)]
  if (entries.length > MAX_PARAMETERS)
    throw new HttpError(400, `The query of this address has more than ${MAX_PARAMETERS} parameters.`)
  const { value, nameOf } = createFormObject(entries, schema.shape)
  const result = await validate(schema, value)
  if (!result.isValid) throw createSearchError(toIssues(result.issues, nameOf))
  return result.value
}
