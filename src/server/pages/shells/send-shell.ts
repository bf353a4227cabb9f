import type { PostponedState } from 'react-dom/static'
import { createAppTree } from '../../../shared/tree/app-tree.tsx'
import { fallbackNoscript } from '../../../shared/tree/fallback.ts'
import type { ShellRest } from '../../cache/shell-rest.ts'
import type { StoredPage } from '../../cache/stored-page.ts'
import type { SlotHolder } from '../../context/render-slots.ts'
import type { RequestContext } from '../../context/request-context.ts'
import { addVary, styleNonceOf } from '../../http/headers.ts'
import { addHashes, setDocumentSecurity, setPolicy } from '../../http/security-headers.ts'
import { sendStarted } from '../../http/send-started.ts'
import { withSafePromises } from '../../render/data-promises.ts'
import { createDataWriter } from '../../render/deferred-data.ts'
import { renderRest } from '../../render/document-rest.ts'
import { DOCUMENT_END } from '../../render/document-sink.ts'
import { DocumentStream } from '../../render/document-stream.ts'
import { failPendingElement } from '../../render/suspense-script.ts'
import { setStoredHeaders } from '../cached/send-stored.ts'
import type { PreparedRoute } from '../prepared-route.ts'
import { respondInSlot } from '../raw-response.ts'
import { canSendParts, createPlatform } from '../render-page.ts'
import { addPrivacyVary } from '../report-settings.ts'
import { varyOf } from '../send-response.ts'
import { keepPrivate, startVisitorLoad } from '../visitor-load.ts'
import { type Respond, withLoads } from './serve-shell.ts'
import { numbersOf, readShellData } from './shell-data.ts'
import { type StoredShell, shellOf } from './stored-shell.ts'

/** A stored page that is a shell. */
interface ShellPage {
  page: StoredPage
  rest: ShellRest
}

/**
 * Sends a stored shell, and then the visitor's parts. If the response cannot be sent in parts, renders it as a whole
 * with the stored data.
 */
export function sendShell({ page, rest }: ShellPage, route: PreparedRoute, respond: Respond, ctx: RequestContext) {
  const { site, request, reply } = ctx
  if (reply.raw.destroyed) return
  ctx.capture = null
  const shell = shellOf(page)
  setStoredHeaders(shell.headers, reply)
  keepPrivate(reply)
  const isStreamed = ctx.format === 'html' && canSendParts(route.plan, ctx)
  if (isStreamed && request.method === 'HEAD') {
    setShellHeaders(shell, page, ctx)
    return void reply.send()
  }
  const slot = takeSlot(ctx)
  if (slot === null) return
  const free = () => site.slots.free(slot)
  if (!isStreamed) return void respondInSlot(ctx, () => respondWithData(rest, route, respond, ctx)).finally(free)
  setShellHeaders(shell, page, ctx)
  ctx.statusSent = reply.statusCode
  site.metrics.firstByteSent(reply)
  const stream = new DocumentStream()
  stream.send(shell.start.text)
  sendStarted(stream, shell.start, reply)
  // The shell is sent before `loadVisitor` and React take time.
  setImmediate(() => void sendRest(rest, route, stream, ctx).finally(free))
}

/**
 * Returns a render slot for the rest: the one of the request, or a new one. Returns null if the request was refused.
 */
function takeSlot(ctx: RequestContext): SlotHolder | null {
  const slot = { reply: ctx.reply, route: ctx.route, hasSlot: ctx.hasSlot }
  ctx.hasSlot = false
  return slot.hasSlot || ctx.site.slots.admit(slot) ? slot : null
}

function setShellHeaders({ policy }: StoredShell, { response }: StoredPage, ctx: RequestContext) {
  const { site, reply, nonce } = ctx
  const { csp, securityHeaders, reports } = site.options
  addVary(reply, varyOf(site))
  addPrivacyVary(reply, reports)
  reply.header('x-accel-buffering', 'no')
  addHashes(reply, response)
  if (csp) setPolicy(reply, policy.join(nonce))
  site.policies.watch(ctx)
  if (securityHeaders) setDocumentSecurity(reply, ctx.address)
}

async function respondWithData(rest: ShellRest, route: PreparedRoute, respond: Respond, ctx: RequestContext) {
  const values = await restoreData(rest, ctx)
  await respond(withLoads(route, { kind: 'loaded', values }), ctx)
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

function createRest({ rest, values, stream }: Resumed, route: PreparedRoute, ctx: RequestContext) {
  const { plan, leaf, page } = route
  const { site, nonce } = ctx
  const { timeouts, limits } = site.options
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
    resume: state && site.shells ? site.shells.resume(state) : null,
    element: createAppTree(tree, platform),
    stream,
    nonce,
    data,
    ctx,
    styleNonce: styleNonceOf(ctx.reply),
    renderMs: timeouts.renderMs,
    maxLength: limits.maxDocumentLength,
    endOfFailed: ({ digest, status }: { digest: string; status: number }) => fallbackNoscript(digest, status, platform),
  }
}
