import type { PostponedState } from 'react-dom/static'
import { createAppTree } from '../../shared/tree/app-tree.tsx'
import { fallbackNoscript } from '../../shared/tree/fallback.ts'
import type { ShellRest } from '../cache/shared/shared-store.ts'
import type { StoredPage } from '../cache/stored-page.ts'
import type { RequestContext } from '../context/request-context.ts'
import { createResponse, type PageResponse } from '../context/response.ts'
import { catchError } from '../failures/failure-context.ts'
import { keepPrivate } from '../http/caching.ts'
import { createDataWriter, withSafePromises } from '../render/deferred.ts'
import { failPendingElement, type RestInput, renderRest } from '../render/document.ts'
import { DOCUMENT_END } from '../render/document-sink.ts'
import { DocumentStream } from '../render/document-stream.ts'
import { canSendParts, createPlatform } from './documents.ts'
import { errorResponse, targetOf } from './errors.ts'
import { runLoads, startVisitorLoad } from './loads.ts'
import type { PreparedRoute } from './prepared-route.ts'
import { loadAndProduce } from './produce.ts'
import { numbersOf, readShellData, renderShell } from './render-shell.ts'
import type { Store } from './storing.ts'

/**
 * Makes and stores the shell of a page. If the shell cannot be stored, the response is for this visitor only, made of the
 * same results of the loads.
 *
 * @param isRefresh Whether the request got the stale shell already. Nothing is returned then.
 */
export async function makeShell(
  route: PreparedRoute,
  store: Store,
  isRefresh: boolean,
  ctx: RequestContext,
): Promise<PageResponse | null> {
  const loads = route.noLoads ?? (await runLoads(route.steps, ctx))
  if (loads.kind === 'sent') store.check()
  // Without a client, the loads have not run.
  if (ctx.isGone || loads.kind === 'sent') return null
  const { shells } = ctx.site
  if (loads.kind === 'thrown') {
    if (isRefresh) return await errorResponse(loads.caught, targetOf(route, loads.values), ctx)
  } else if (shells === null) store.check()
  else {
    const outcome = await renderShell(route, loads.values, shells, ctx)
    const stored = outcome.kind === 'shell' ? await store.shell(outcome.shell) : null
    if (stored) return stored
    if (outcome.kind === 'refused') store.refuse(outcome.reason)
    if (isRefresh && outcome.kind === 'thrown')
      return await errorResponse(catchError(outcome.thrown, 'render'), targetOf(route, loads.values), ctx)
  }
  if (isRefresh) return null
  ctx.shared = null
  return ctx.reply.raw.destroyed ? null : await ctx.inRequest(() => loadAndProduce(route, ctx, loads))
}

/** A stored page that is a shell. */
interface ShellPage {
  page: StoredPage
  rest: ShellRest
}

/**
 * Makes the response of a stored shell: the shell, and then the visitor's parts. If the response cannot be sent in parts,
 * it is made as a whole of the stored data. Returns null if the request was refused, because no render slot is free.
 */
export async function shellResponse(
  { page, rest }: ShellPage,
  route: PreparedRoute,
  ctx: RequestContext,
): Promise<PageResponse | null> {
  const { site, request, reply } = ctx
  if (reply.raw.destroyed) return null
  ctx.shared = null
  // The page contains what was published before the shell.
  if (ctx.live !== null) ctx.live = page.response.live ?? ctx.live
  const shell = page.shell
  const isStreamed = canSendParts(route.plan, ctx)
  const given = { stored: page, shell, isStreamed: true }
  keepPrivate(reply)
  if (isStreamed && request.method === 'HEAD') return createResponse('html', null, given)
  if (!ctx.hasSlot && !site.slots.admit(ctx)) return null
  if (!isStreamed) {
    const values = await restoreData(rest, ctx)
    const response = await ctx.inRequest(() => loadAndProduce(route, ctx, { kind: 'loaded', values }))
    return response && { ...response, headers: { ...Object.fromEntries(shell.headers), ...response.headers } }
  }
  ctx.statusSent = reply.statusCode
  const stream = new DocumentStream()
  stream.send(shell.start.text)
  return createResponse('html', stream, {
    ...given,
    async rest() {
      // The shell is sent before `loadVisitor` and React take time.
      await new Promise(setImmediate)
      await sendRest(rest, route, stream, ctx)
    },
  })
}

/** Returns the data of the layouts, outermost first, then of the page. Restores the output of the page's schemas. */
async function restoreData(rest: ShellRest, ctx: RequestContext): Promise<unknown[]> {
  const { values, addressExtras } = await readShellData(rest)
  ctx.addressExtras ??= addressExtras
  return values
}

/** Loads and sends the visitor's parts. Never rejects. */
async function sendRest(
  rest: ShellRest,
  route: PreparedRoute,
  stream: DocumentStream,
  ctx: RequestContext,
): Promise<void> {
  try {
    const values = await restoreData(rest, ctx)
    await renderRest(createRest({ rest, values, stream }, route, ctx))
  } catch (thrown) {
    const { digest } = ctx.fail(thrown, { phase: 'render' })
    stream.send(failPendingElement(digest, ctx.nonce) + DOCUMENT_END)
    stream.finish()
  }
}

interface Resumed {
  rest: ShellRest
  /** The data of the layouts, outermost first, then of the page. */
  values: readonly unknown[]
  stream: DocumentStream
}

function createRest({ rest, values, stream }: Resumed, route: PreparedRoute, ctx: RequestContext): RestInput {
  const { plan, leaf, page } = route
  const { shells } = ctx.site
  const visitorData = startVisitorLoad(route, ctx)
  const data = createDataWriter(page.serverFile, ctx, numbersOf(rest))
  data.write({ visitorData }, page.serverFile)
  const substitute = (reason: unknown) => ctx.substitute(reason, { phase: 'load', place: data.place })
  const extras = withSafePromises({ ...ctx.addressExtras, visitorData }, substitute, ctx)
  const platform = createPlatform({ ...ctx.addressExtras }, ctx)
  const tree = { layouts: plan.layouts, leaf, data: [...values, extras], params: ctx.params, address: ctx }
  // Each document needs its own copy of the state, because React changes it. The type has a symbol that no value has.
  const state = rest.state === null ? null : (JSON.parse(rest.state) as PostponedState)
  return {
    resume: state && shells ? shells.resume(state) : null,
    element: createAppTree(tree, platform),
    stream,
    promises: data,
    ctx,
    styleNonce: platform.styleNonce,
    endOfFailed: ({ digest, status }) => fallbackNoscript(digest, status, platform),
  }
}
