import type { ExtraProps } from '../../shared/wire/boot.ts'
import type { GuardFunction } from '../build-output/guarded-folders.ts'
import type { Route, ServerModule } from '../build-output/load-build.ts'
import { runOutsideRequests } from '../cache/outside-requests.ts'
import type { RequestContext } from '../context/request-context.ts'
import { runStep, stopAtDeadline, watchAnswer } from '../context/steps.ts'
import { HttpError, NotFoundSignal } from '../errors/http-error.ts'
import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import { type CaughtError, catchError } from '../failures/failure-context.ts'
import { isSafe } from '../guards/csrf.ts'
import { validateFields } from '../schemas/form-object.ts'
import { createSearchError } from '../schemas/issues.ts'
import { type PageSchema, type PageSchemas, validate } from '../schemas/page-schemas.ts'
import { createDeadline, DEADLINE } from '../util/deadline.ts'
import { freshStack, isPlainObject } from '../util/unknown-values.ts'
import { hintAtParams } from './development-notes.ts'
import { createLoadContext, createPageLoadContext } from './loads.ts'
import { writeExtras } from './page-extras.ts'

export interface GuardStep {
  guard: GuardFunction
  /** Path in the site of the file with `guard`. */
  serverFile: string
  /** Number of layouts that may be shown around an error of this guard: those whose guards come before it. */
  level: number
  /** The parameters for this guard (those of the request). */
  params?: Record<string, string>
  /** Whether it is the guard of the page, which gets the output of the page's schemas. */
  isPage?: boolean
}

/** A check that is not a function of the site: of the address, with the schemas of the page. */
export interface CheckStep {
  /** Returns the error; null if the request may go on. Never rejects. */
  check(passed: Promise<typeof DEADLINE>, ctx: RequestContext): Promise<CaughtError | null>
  level: number
}

export type GuardOutcome =
  | { kind: 'passed' }
  | { kind: 'thrown'; caught: CaughtError; level: number }
  /** The client has left, or a guard has sent a response itself. */
  | { kind: 'done' }

/** Returns the guards of layouts, outermost first. */
export function guardsOf(layouts: readonly Pick<ServerModule<unknown>, 'guard' | 'serverFile'>[]): GuardStep[] {
  return layouts.flatMap(({ guard, serverFile }, level) => (guard ? [{ guard, serverFile, level }] : []))
}

/** Returns the guards of the layouts around a page, the check of its address, its own guard, and the check of the action. */
export function stepsToPage(
  { layouts, page }: Route,
  check: CheckStep['check'] | null,
  checkAction: CheckStep['check'] | null,
): (GuardStep | CheckStep)[] {
  const { guard, serverFile } = page
  const level = layouts.length
  return [
    ...guardsOf(layouts),
    ...(check ? [{ check, level }] : []),
    ...(guard ? [{ guard, serverFile, level, isPage: true }] : []),
    ...(checkAction ? [{ check: checkAction, level }] : []),
  ]
}

/**
 * Runs guards, one after another, and merges their results into the context of the request. The first one that throws
 * ends the run. All of them share one deadline. Never rejects.
 */
export async function runGuards(steps: readonly (GuardStep | CheckStep)[], ctx: RequestContext): Promise<GuardOutcome> {
  ctx.watchLeaving()
  const { metrics, options } = ctx.site
  const deadline = createDeadline(options.timeouts.loadMs)
  const answer = watchAnswer(ctx)
  const startedAt = metrics.now()
  try {
    for (const step of steps) {
      const { passed } = deadline
      const caught = 'check' in step ? await step.check(passed, ctx) : await runGuard(step, passed, ctx)
      if (ctx.isGone || answer.isSent()) return { kind: 'done' }
      if (caught) return { kind: 'thrown', caught, level: step.level }
    }
    return { kind: 'passed' }
  } finally {
    deadline.clear()
    answer.stop()
    if (steps.some((step) => 'guard' in step)) metrics.guardsEnded(ctx.route, metrics.now() - startedAt)
  }
}

/** Runs one guard. Returns what it threw; null if it let the request pass. */
async function runGuard(
  step: GuardStep,
  passed: Promise<typeof DEADLINE>,
  ctx: RequestContext,
): Promise<CaughtError | null> {
  const { serverFile } = step
  try {
    const result = await Promise.race([callGuard(step, ctx), passed])
    if (result === DEADLINE) {
      const error = createHydrantError('HYD_GUARD_TIMEOUT', [ctx.site.options.timeouts.loadMs, serverFile])
      throw stopAtDeadline(error, ctx)
    }
    if (!ctx.isGone) addToContext(result, serverFile, ctx)
    return null
  } catch (thrown) {
    return catchError(thrown, 'guard', { file: serverFile, function: 'guard' })
  }
}

async function callGuard({ guard, serverFile, isPage, params }: GuardStep, ctx: RequestContext): Promise<unknown> {
  await freshStack
  const context = isPage ? createPageLoadContext(ctx) : createLoadContext(ctx, params)
  return runStep('guard', serverFile, ctx, () => guard(context))
}

/** Merges the result of a guard into the context. Throws HYD_GUARD_RESULT. */
function addToContext(result: unknown, serverFile: string, ctx: RequestContext) {
  if (result === undefined) return
  if (!isPlainObject(result)) throw createHydrantError('HYD_GUARD_RESULT', [serverFile, describeResult(result)])
  // A load may await it later. An unhandled rejection would end the process.
  for (const value of Object.values(result)) if (value instanceof Promise) value.catch(() => {})
  Object.assign(ctx.guardResults, result)
}

function describeResult(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return showValue(value)
  // A null prototype is plain, so there is one.
  const prototype = Object.getPrototypeOf(value) as object
  return `an instance of ${prototype.constructor?.name || 'a class'}`
}

/**
 * Returns the function that refuses forms for no action, with a 404; null for a page without named actions. It runs after
 * the guards, so that nobody else learns the names.
 */
export function createActionCheck({ actions, page }: Route): CheckStep['check'] | null {
  if (actions.size === 0 || actions.has('')) return null
  const known = [...actions.keys()].map((name) => `"?/${name}"`).join(' or ')
  return async (_passed, { action, site, request }) => {
    if (action !== null || isSafe(request.method)) return null
    const hint = `${page.serverFile} has no such action. Send the form to ${known} of this address.`
    return catchError(new HttpError(404, site.isDevelopment ? hint : 'This page has no such action.'), 'route')
  }
}

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
  const extras: ExtraProps = {}
  if (params) extras.params = await checkParams(params, ctx)
  step.running = 'search'
  if (search) extras.search = await checkSearch(search, ctx)
  return extras
}

const runHere = <Result>(work: () => Result): Result => work()

async function checkParams(schema: PageSchema, ctx: RequestContext): Promise<unknown> {
  const result = await validate(schema, { ...ctx.params })
  if (result.isValid) return result.value
  if (ctx.site.isDevelopment) hintAtParams(result.issues, schema, ctx)
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
