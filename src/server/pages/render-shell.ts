import { createAppTree } from '../../shared/tree/app-tree.tsx'
import { type ExtraProps, messageText } from '../../shared/wire/boot.ts'
import { createDeferredPromises, type Flat, revive, type Settlement } from '../../shared/wire/promises.ts'
import { needsUnflatten } from '../../shared/wire/values.ts'
import { type ShellRest, VISITOR_ID } from '../cache/shared/shared-store.ts'
import type { ShellRenderer } from '../context/react-renderer.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { RenderedShell } from '../context/response.ts'
import { createNonce, styleNonceOf } from '../http/headers.ts'
import { countFrom, createDataWriter, withSafePromises } from '../render/deferred.ts'
import { messageElement, openNotice } from '../render/document.ts'
import { findHeadEnd } from '../render/document-sink.ts'
import { prerenderShell } from '../render/prerender-shell.ts'
import { markFallbacks, stylesOfParts } from '../render/without-script.ts'
import { startDeadline } from '../util/deadline.ts'
import { completeHead, createPlatform, writeShellEnd } from './documents.ts'
import type { PreparedRoute } from './prepared-route.ts'

export type ShellOutcome =
  | { kind: 'shell'; shell: RenderedShell }
  /** Its data cannot be written, or a component has thrown. */
  | { kind: 'thrown'; thrown: unknown }
  /** The shell must not be stored. The reason is the end of a sentence. */
  | { kind: 'refused'; reason: string }

/** Renders the shell of a page from the data of its shared loads. Never rejects. */
export async function renderShell(
  route: PreparedRoute,
  values: readonly unknown[],
  shells: ShellRenderer,
  ctx: RequestContext,
): Promise<ShellOutcome> {
  try {
    return await tryToRender(route, values, shells, ctx)
  } catch (thrown) {
    return { kind: 'thrown', thrown }
  }
}

async function tryToRender(
  route: PreparedRoute,
  values: readonly unknown[],
  shells: ShellRenderer,
  ctx: RequestContext,
): Promise<ShellOutcome> {
  const { plan, leaf } = route
  // The promise that the visitor's parts wait for never settles, because a shell does not contain the visitor's data. Each
  // render has its own: what waits for a promise lives as long as the promise.
  const extras = { ...ctx.addressExtras, visitorData: new Promise<never>(() => {}) }
  const data = await writeShellData(route, values, extras, ctx)
  if ('reason' in data) return { kind: 'refused', reason: data.reason }
  // These nonces are placeholders. Hashes replace them before the shell is stored.
  const nonce = createNonce()
  const styleNonce = styleNonceOf(ctx.reply) === undefined ? undefined : createNonce()
  const platform = { ...createPlatform(extras, ctx), nonce, styleNonce }
  const substitute = (reason: unknown) => ctx.substitute(reason, { phase: 'load' })
  const safe = values.map((value) => withSafePromises(value, substitute, ctx))
  const tree = { layouts: plan.layouts, leaf, data: [...safe, extras], params: ctx.params, address: ctx }
  const rendered = await prerenderShell(createAppTree(tree, platform), shells)
  if (rendered.kind === 'thrown') return rendered
  if (rendered.kind === 'empty') return { kind: 'refused', reason: 'a component waits outside of <Suspense>' }
  const html = addNonces(rendered.html, shells.scripts, nonce)
  // Such a script looks like a script in markup of the site, which must not get a hash.
  if (COMPLETES.test(html)) return { kind: 'refused', reason: 'React completes a part of its shell with a script' }
  const at = ctx.hasScripts ? findHeadEnd(html) : -1
  const needsReader = data.data.some(needsUnflatten)
  const styles = stylesOfParts(styleNonce)
  const withHead = at === -1 ? html : completeHead(html.slice(0, at), plan, needsReader, nonce, styles) + html.slice(at)
  const text = markFallbacks(withHead, styleNonce) + writeEnd(route, data, nonce, ctx)
  return { kind: 'shell', shell: { text, nonce, styleNonce, rest: { ...data, state: rendered.state } } }
}

/** Matches the beginning of React's scripts for single parts. */
const COMPLETES = /<script>\s*(?:self\.)?\$R/

/**
 * Adds the nonce to React's own scripts. A script of the site with the same text gets it too: it has the same effect.
 */
function addNonces(html: string, scripts: readonly string[], nonce: string): string {
  return html.replace(PLAIN_SCRIPT, (element, tag: string, content: string) =>
    scripts.includes(content) ? `${tag} nonce="${nonce}">${content}</script>` : element,
  )
}

/** React's first script has an id. */
const PLAIN_SCRIPT = /(<script(?: id="_R_")?)>(.*?)<\/script>/gs

function writeEnd(
  route: PreparedRoute,
  { data, settlements }: Pick<RenderedShell['rest'], 'data' | 'settlements'>,
  nonce: string,
  ctx: RequestContext,
): string {
  const end = writeShellEnd(route, data, ctx, nonce)
  if (!ctx.hasScripts) return end
  const notice = messageText(openNotice(ctx.site.options.timeouts.renderMs))
  return end + [...settlements, notice].map((message) => messageElement(message, nonce)).join('')
}

// The data of a stored shell: the half that writes it, and the half that reads it for the rest of the document.

export type ShellData = Pick<ShellRest, 'data' | 'settlements' | 'nextId'>

/**
 * Writes the data of a shell. Waits for all promises in it but the promise of the visitor's data. Rejects with
 * HYD_DATA_UNSERIALISABLE.
 *
 * @param values The data of the layouts, outermost first, then of the page.
 * @returns A reason, as the end of a sentence, if the shell must not be stored.
 */
async function writeShellData(
  { plan, page }: PreparedRoute,
  values: readonly unknown[],
  extras: ExtraProps,
  ctx: RequestContext,
): Promise<ShellData | { reason: string }> {
  const count = countFrom(VISITOR_ID)
  let nextId = VISITOR_ID
  const writer = createDataWriter(page.serverFile, ctx, () => {
    nextId++
    return count()
  })
  // The extras are written first, so that the promise of the visitor's data has the number `VISITOR_ID`.
  const written = writer.write(extras, page.serverFile)
  const data = values.map((value, level) => writer.write(value, plan.dataFiles[level] ?? ''))
  const settlements: string[] = []
  const isSettled = await new Promise<boolean>((resolve) => {
    const clear = startDeadline(ctx.site.options.timeouts.renderMs, () => resolve(false))
    const check = () => {
      if (writer.pendingCount() > 1) return
      clear()
      resolve(true)
    }
    writer.subscribe((settlement) => {
      settlements.push(settlement)
      check()
    })
    check()
  })
  if (!isSettled) return { reason: 'promises in its data are pending' }
  if (!settlements.every(isFulfilled)) return { reason: 'a promise in its data rejects' }
  return { data: [...data, written], settlements, nextId }
}

function isFulfilled(settlement: string): boolean {
  const [, kind] = JSON.parse(settlement) as Settlement
  return kind === 'value'
}

/** Reads the data of a shell. Each call creates new objects. */
export async function readShellData({ data, settlements }: ShellData): Promise<{
  values: unknown[]
  /** The output of the schemas `params` and `search`; null without one. */
  addressExtras: Pick<ExtraProps, 'params' | 'search'> | null
}> {
  const deferred = createDeferredPromises()
  const values = await Promise.all(data.map((text) => revive(JSON.parse(text) as Flat, deferred.promised)))
  await Promise.all(settlements.map((text) => deferred.settle(JSON.parse(text) as Settlement)))
  // `writeShellData` has written the extras last.
  const { params, search } = values.pop() as ExtraProps
  if (params === undefined && search === undefined) return { values, addressExtras: null }
  const addressExtras = { ...(params !== undefined && { params }), ...(search !== undefined && { search }) }
  return { values, addressExtras }
}

/** Returns the function that numbers the promises of the rest, beginning with that of the visitor's data. */
export function numbersOf({ nextId }: ShellData): () => number {
  const count = countFrom(nextId)
  let isFirst = true
  return () => {
    if (!isFirst) return count()
    isFirst = false
    return VISITOR_ID
  }
}
