import type { FastifyReply } from 'fastify'
import type { Route } from '../build-output/load-build.ts'
import type { ActionContext } from '../build-output/page-contexts.ts'
import type { RequestContext } from '../context/request-context.ts'
import { exportedName, runStep, stopAtDeadline } from '../context/steps.ts'
import { formMessagesOf } from '../errors/http-error.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { type CaughtError, catchError } from '../failures/failure-context.ts'
import { requireShallow } from '../forms/limits.ts'
import { TemporaryFiles } from '../forms/multipart.ts'
import { readForm } from '../forms/read-form.ts'
import { findPromises, silencePromises } from '../render/deferred.ts'
import { createDeadline, DEADLINE } from '../util/deadline.ts'
import { checkForm, type RefusedForm, refuseForm, refuseSize, showsInvalid } from './check-form.ts'
import { warnOfUnknownFields } from './development-notes.ts'
import { recordLate } from './errors.ts'
import { createPageLoadContext } from './loads.ts'

export type ActionOutcome =
  | { kind: 'returned'; value: unknown }
  | { kind: 'thrown'; caught: CaughtError }
  | ({ kind: 'invalid' } & RefusedForm)
  /** The client has left, or the action has sent a response itself. */
  | { kind: 'done' }

interface Step {
  running: 'form' | 'action'
  /** False while the form is received. */
  hasStarted: boolean
}

/**
 * Reads the form of the request, validates it, and runs the action that the address selects. Never rejects. The form's files are removed
 * when the response has been sent.
 */
export async function runAction(route: Route, ctx: RequestContext): Promise<ActionOutcome> {
  ctx.watchLeaving()
  const files = new TemporaryFiles(ctx.site.uploads)
  const step: Step = { running: 'action', hasStarted: false }
  let isDropped = true
  try {
    const outcome = await callAction(route, files, step, ctx)
    if (ctx.isGone || ctx.reply.sent) return { kind: 'done' }
    isDropped = outcome.kind !== 'returned'
    return outcome
  } catch (thrown) {
    const caught = catchActionError(thrown, route, ctx, step.running)
    // An action may have had effects before it failed, such as a payment.
    if (ctx.isGone && step.hasStarted) recordLate(caught, ctx.abortReason, ctx)
    if (ctx.isGone || ctx.reply.sent) return { kind: 'done' }
    return { kind: 'thrown', caught }
  } finally {
    if (isDropped && !ctx.reply.sent) await removeFiles(files, ctx)
    else whenClosed(ctx.reply, () => void removeFiles(files, ctx))
  }
}

/** A value without a stack is attributed to the export that is running. */
export function catchActionError(
  thrown: unknown,
  { page }: Route,
  ctx: RequestContext,
  running: Step['running'] = 'action',
): CaughtError {
  return catchError(thrown, 'action', { file: page.serverFile, function: exportedName(running, ctx) })
}

async function callAction(
  route: Route,
  files: TemporaryFiles,
  step: Step,
  ctx: RequestContext,
): Promise<ActionOutcome> {
  const { options, slots, metrics } = ctx.site
  requireShallow(ctx.request.body)
  const limits = { ...options.forms, bodyLimit: options.bodyLimit }
  const { form, refusal } = await readForm(ctx.request, limits, files, showsInvalid(ctx.action, ctx.format))
  // The slot and the deadline begin after the form has been read: a slow upload renders nothing, and takes as long as
  // the visitor's connection takes.
  slots.take(ctx)
  if (refusal) return { kind: 'invalid', ...refuseSize(refusal, form) }
  const { loadMs } = options.timeouts
  const startedAt = metrics.now()
  const running = ctx.isGone ? Promise.resolve(GONE) : checkAndCall(route, form, step, ctx)
  const deadline = createDeadline(loadMs)
  const outcome = await Promise.race([running, deadline.passed]).finally(() => {
    deadline.clear()
    metrics.actionEnded(route.id, metrics.now() - startedAt)
  })
  if (outcome === DEADLINE) {
    const timeout = createTimeout(route, step, loadMs)
    running.then(
      (late) => silencePromises(late, ctx),
      (thrown) => recordLate(catchActionError(thrown, route, ctx, step.running), timeout, ctx),
    )
    throw stopAtDeadline(timeout, ctx)
  }
  if (outcome.kind !== 'returned') return outcome
  const [promise] = findPromises(outcome.value, 'actionData').values()
  if (promise === undefined) return outcome
  silencePromises(outcome.value, ctx)
  throw createHydrantError('HYD_ACTION_PROMISE', [route.page.serverFile, promise])
}

const GONE: ActionOutcome = { kind: 'done' }

function createTimeout({ page }: Route, step: Step, loadMs: number): Error {
  return step.running === 'form'
    ? createHydrantError('HYD_SCHEMA_TIMEOUT', ['form', page.serverFile, loadMs])
    : createHydrantError('HYD_ACTION_TIMEOUT', [page.serverFile, loadMs])
}

// `async`, so that a synchronous throw rejects.
async function checkAndCall({ page }: Route, form: FormData, step: Step, ctx: RequestContext): Promise<ActionOutcome> {
  const { action } = ctx
  const schema = action?.form
  step.hasStarted = true
  let input: unknown
  if (schema) {
    step.running = 'form'
    const checked = await checkForm(schema, form, ctx.request)
    if (!checked.isValid) return { kind: 'invalid', ...checked.refused }
    input = checked.value
    step.running = 'action'
    if (ctx.isGone) return GONE
  }
  const context: ActionContext = Object.assign(createPageLoadContext(ctx), { form, input })
  return runStep('action', page.serverFile, ctx, async () => {
    try {
      return { kind: 'returned', value: await action?.run(context) }
    } catch (thrown) {
      const messages = formMessagesOf(thrown)
      if (messages === null) throw thrown
      // `formMessagesOf` has messages only for the errors of `invalidForm`.
      if (schema && ctx.site.isDevelopment) warnOfUnknownFields(thrown as Error, messages, schema, ctx)
      return { kind: 'invalid', ...refuseForm(messages, form) }
    }
  })
}

function whenClosed({ raw }: FastifyReply, then: () => void) {
  if (raw.closed) then()
  else raw.once('close', then)
}

async function removeFiles(files: TemporaryFiles, { request }: RequestContext) {
  try {
    await files.remove()
  } catch (err) {
    request.log.warn({ err }, 'temporary files of a form could not be removed')
  }
}
