import type { FastifyReply } from 'fastify'
import { isThenable } from '../../shared/wire/deferred-data.ts'
import { serialise } from '../../shared/wire/serialise.ts'
import type { Route } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import type { SourceFunction } from '../failures/digest.ts'
import { requireShallow } from '../forms/body-checks.ts'
import { readForm } from '../forms/read-form.ts'
import { TemporaryFiles } from '../forms/upload-files.ts'
import type { ActionContext } from '../options/config.ts'
import { silencePromises } from '../render/data-promises.ts'
import { unserialisable } from '../render/deferred-data.ts'
import { createDeadline, createLoadContext, DEADLINE } from './loads.ts'

/** What became of an action. */
export type ActionOutcome =
  | { kind: 'returned'; value: unknown }
  | { kind: 'thrown'; thrown: unknown; phase: 'action'; origin: SourceFunction }
  /** The visitor has gone, or the action has sent an answer of its own: there is nothing left to do. */
  | { kind: 'done' }

/**
 * Reads the form that came with the request and runs the page's action. Never rejects. The form's files stay until the
 * answer has been sent.
 */
export async function runAction(
  route: Route,
  params: Record<string, string>,
  site: Site,
  visit: RequestContext,
): Promise<ActionOutcome> {
  visit.watchLeaving()
  const files = new TemporaryFiles(site.uploads)
  let isDropped = true
  try {
    const value = await callAction(route, params, site, visit, files)
    if (visit.isGone || visit.reply.sent) return { kind: 'done' }
    isDropped = false
    return { kind: 'returned', value }
  } catch (thrown) {
    if (visit.isGone || visit.reply.sent) return { kind: 'done' }
    return { kind: 'thrown', thrown, phase: 'action', origin: originOf(route) }
  } finally {
    if (isDropped && !visit.reply.sent) await removeFiles(files, visit)
    else whenClosed(visit.reply, () => void removeFiles(files, visit))
  }
}

/** Writes what an action has returned for the browser. Throws HYD_DATA_UNSERIALISABLE for what cannot travel. */
export function serialiseActionData(value: unknown, { page }: Route): string {
  try {
    // `runAction` has refused promises.
    return serialise(value, () => 0)
  } catch (error) {
    throw unserialisable(error, page.serverFile, 'action')
  }
}

export function originOf({ page }: Route): SourceFunction {
  return { file: page.serverFile, function: 'action' }
}

async function callAction(
  route: Route,
  params: Record<string, string>,
  { app, options, slots, metrics }: Site,
  visit: RequestContext,
  files: TemporaryFiles,
): Promise<unknown> {
  requireShallow(visit.request.body)
  const form = await readForm(visit.request, { ...options.forms, bodyLimit: options.bodyLimit }, files)
  slots.take(visit)
  // Sending a form takes as long as the visitor's connection takes: the deadline begins behind it.
  const context: ActionContext = Object.assign(createLoadContext(visit, app, params), { form })
  const { loadMs } = options.timeouts
  const { serverFile } = route.page
  const startedAt = metrics.now()
  const running = Promise.resolve(visit.isGone ? undefined : call(route, context))
  const deadline = createDeadline(loadMs)
  const value = await Promise.race([running, deadline.passed]).finally(() => {
    deadline.clear()
    metrics.actionEnded(route.id, metrics.now() - startedAt)
  })
  if (value === DEADLINE) {
    running.then(silencePromises, () => {})
    const error = createHydrantError('HYD_ACTION_TIMEOUT', [serverFile, loadMs])
    visit.abort(error)
    visit.renewSignal()
    throw error
  }
  const promise = findPromise(value, 'actionData', new Set())
  if (promise === null) return value
  silencePromises(value)
  throw createHydrantError('HYD_ACTION_PROMISE', [serverFile, promise])
}

// What throws at once rejects.
async function call({ action }: Route, context: ActionContext): Promise<unknown> {
  return action?.(context)
}

/** Where in a value a promise stands. */
function findPromise(value: unknown, path: string, seen: Set<unknown>): string | null {
  if (typeof value !== 'object' || value === null || seen.has(value)) return null
  if (isThenable(value)) return path
  seen.add(value)
  if (ArrayBuffer.isView(value)) return null
  const parts =
    value instanceof Map || value instanceof Set ? Object.entries([...value.values()]) : Object.entries(value)
  for (const [key, part] of parts) {
    const found = findPromise(part, `${path}.${key}`, seen)
    if (found !== null) return found
  }
  return null
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
