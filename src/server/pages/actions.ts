import type { FastifyReply } from 'fastify'
import type { Acted } from '../../shared/wire/navigation-protocol.ts'
import { serialise } from '../../shared/wire/serialise.ts'
import type { Route } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { requireShallow } from '../forms/body-checks.ts'
import { readForm } from '../forms/read-form.ts'
import { TemporaryFiles } from '../forms/upload-files.ts'
import type { ActionContext } from '../options/config.ts'
import { findPromises, silencePromises } from '../render/data-promises.ts'
import { unserialisable } from '../render/deferred-data.ts'
import { createDeadline, DEADLINE } from '../util/deadline.ts'
import { createLoadContext } from './load-context.ts'
import { type CaughtError, catchError } from './resolve-error.ts'

export type ActionOutcome =
  | { kind: 'returned'; value: unknown }
  | { kind: 'thrown'; caught: CaughtError }
  /** The client has left, or the action has sent a response itself. */
  | { kind: 'done' }

/**
 * Reads the form of the request and runs the page's action. Never rejects. The form's files are removed when the
 * response has been sent.
 */
export async function runAction(route: Route, ctx: RequestContext): Promise<ActionOutcome> {
  ctx.watchLeaving()
  const files = new TemporaryFiles(ctx.site.uploads)
  let isDropped = true
  try {
    const value = await callAction(route, files, ctx)
    if (ctx.isGone || ctx.reply.sent) return { kind: 'done' }
    isDropped = false
    return { kind: 'returned', value }
  } catch (thrown) {
    if (ctx.isGone || ctx.reply.sent) return { kind: 'done' }
    return { kind: 'thrown', caught: catchActionError(thrown, route) }
  } finally {
    if (isDropped && !ctx.reply.sent) await removeFiles(files, ctx)
    else whenClosed(ctx.reply, () => void removeFiles(files, ctx))
  }
}

/** Serialises the result of an action. Throws HYD_DATA_UNSERIALISABLE. */
export function serialiseActed(acted: Acted, { page }: Route): string {
  try {
    // The value contains no promise: `runAction` rejects those.
    return serialise(Object.keys(acted).length === 0 ? undefined : acted, () => 0)
  } catch (error) {
    throw unserialisable(error, page.serverFile, 'action')
  }
}

export function catchActionError(thrown: unknown, { page }: Route): CaughtError {
  return catchError(thrown, 'action', { file: page.serverFile, function: 'action' })
}

async function callAction(route: Route, files: TemporaryFiles, ctx: RequestContext): Promise<unknown> {
  const { options, slots, metrics } = ctx.site
  requireShallow(ctx.request.body)
  const form = await readForm(ctx.request, { ...options.forms, bodyLimit: options.bodyLimit }, files)
  // The slot and the deadline begin after the form has been read: a slow upload renders nothing, and takes as long as
  // the visitor's connection takes.
  slots.take(ctx)
  const context: ActionContext = Object.assign(createLoadContext(ctx), { form })
  const { loadMs } = options.timeouts
  const { serverFile } = route.page
  const startedAt = metrics.now()
  const running = Promise.resolve(ctx.isGone ? undefined : call(route, context))
  const deadline = createDeadline(loadMs)
  const value = await Promise.race([running, deadline.passed]).finally(() => {
    deadline.clear()
    metrics.actionEnded(route.id, metrics.now() - startedAt)
  })
  if (value === DEADLINE) {
    running.then(silencePromises, () => {})
    const error = createHydrantError('HYD_ACTION_TIMEOUT', [serverFile, loadMs])
    ctx.abort(error)
    ctx.renewSignal()
    throw error
  }
  const [promise] = findPromises(value, 'actionData').values()
  if (promise === undefined) return value
  silencePromises(value)
  throw createHydrantError('HYD_ACTION_PROMISE', [serverFile, promise])
}

// `async`, so that a synchronous throw rejects.
async function call({ action }: Route, context: ActionContext): Promise<unknown> {
  return action?.(context)
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
