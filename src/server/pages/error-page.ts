import type { TreeLeaf } from '../../shared/tree/app-tree.tsx'
import type { BootLeaf } from '../../shared/wire/boot.ts'
import type { ServerError } from '../../shared/wire/public-error.ts'
import type { Build, LayoutChain, SiteModule } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { PageResponse } from '../context/response.ts'
import { NOT_FOUND } from '../errors/classify-thrown.ts'
import type { Failure } from '../failures/failure-context.ts'
import { createPlan, type DocumentPlan } from './document-plan.ts'
import { documentResponse, type PageRender, renderPage } from './documents.ts'

/** The place in the site where an error page is shown. */
export interface ErrorTarget {
  chain: LayoutChain
  /** Data of the layouts around the error page, outermost first. */
  layoutData: readonly unknown[]
}

/** Files of error pages that have failed for this request. */
type BrokenFiles = ReadonlySet<string | null>

export const NOTHING_BROKEN: BrokenFiles = new Set()

type ErrorPage =
  | { kind: 'notFound'; module: LayoutChain['notFound'] & object }
  | { kind: 'error'; module: LayoutChain['errorPages'][number] & object }

/**
 * Renders the error page. If that fails too, the site's own error page is dropped, then the innermost layout, and so on,
 * down to what `plainError` returns. Returns null when the client has left.
 */
export async function renderErrorPage(
  error: ServerError,
  outermost: ErrorTarget,
  plainError: (visibleError: ServerError, ctx: RequestContext) => PageResponse,
  ctx: RequestContext,
): Promise<PageResponse | null> {
  let visibleError = error
  let target = outermost
  let broken = NOTHING_BROKEN
  while (target.layoutData.length > 0) {
    const page = chooseErrorPage(visibleError, target, broken)
    const { firstFailure, failureCount } = ctx
    const rendered = await renderPage(createErrorRender(visibleError, page, target, ctx.site.build), ctx)
    if (rendered.kind === 'gone') return null
    if (rendered.kind !== 'thrown') return documentResponse(rendered, visibleError)
    const failure = ctx.fail(rendered.caught.thrown, { phase: 'render' })
    // The deadline has passed: there is no time for another render.
    if (failure.status === 504) break
    visibleError = publicFailure(firstFailure ?? failure)
    // A failure that was recorded before this render comes from a layout: the error page inside it is not at fault.
    if (page && ctx.failureCount > failureCount) broken = new Set([...broken, page.module.file])
    else target = { ...target, layoutData: target.layoutData.slice(0, -1) }
  }
  return plainError(visibleError, ctx)
}

/** Returns what everybody may see of a failure. */
export function publicFailure({ digest, status }: Failure): ServerError {
  return { kind: 'failure', side: 'server', digest, status }
}

/** Returns the 404 page or the error page for this place; null when the site has none that works. */
export function chooseErrorPage(
  visibleError: ServerError,
  { chain, layoutData }: ErrorTarget,
  broken: BrokenFiles,
): ErrorPage | null {
  const isUsable = <C>(module: SiteModule<C> | null): module is SiteModule<C> =>
    module !== null && !broken.has(module.file)
  if (visibleError === NOT_FOUND && isUsable(chain.notFound)) return { kind: 'notFound', module: chain.notFound }
  const errorPage = chain.errorPages[layoutData.length - 1] ?? null
  return isUsable(errorPage) ? { kind: 'error', module: errorPage } : null
}

/** Returns what the browser loads for an error page. */
export function errorPageLeaf(page: ErrorPage | null): BootLeaf {
  const boot = page?.module.boot ?? { file: null }
  return { kind: page?.kind === 'notFound' ? 'notFound' : 'shown', ...boot }
}

function createErrorRender(
  visibleError: ServerError,
  page: ErrorPage | null,
  { chain, layoutData }: ErrorTarget,
  build: Build,
): PageRender {
  const level = layoutData.length
  const { scripts, css } = page?.module ?? { scripts: [], css: [] }
  const leaf: TreeLeaf =
    page?.kind === 'notFound'
      ? { kind: 'notFound', Component: page.module.Component, css }
      : { kind: 'shown', shown: visibleError, Component: page?.module.Component ?? null, css }
  const leafPlans = plansOf(chain.layouts, page?.module ?? null)
  leafPlans[level] ??= createPlan(
    { chain, level, bootLeaf: errorPageLeaf(page), leaf: { scripts, css }, dataFile: '', canStream: true },
    build,
  )
  return { plan: leafPlans[level], leaf, data: layoutData, shown: visibleError }
}

/** Plans of the layouts of one chain and one error page, indexed by the number of layouts around it. */
type Plans = DocumentPlan[]

// There are few pairs of layouts and an error page, so nothing is evicted. In development, a chain gets other layouts.
const plans = new WeakMap<LayoutChain['layouts'], Map<object | null, Plans>>()

function plansOf(layouts: LayoutChain['layouts'], page: ErrorPage['module'] | null): Plans {
  const ofChain = plans.get(layouts) ?? new Map<object | null, Plans>()
  plans.set(layouts, ofChain)
  const pagePlans = ofChain.get(page) ?? []
  ofChain.set(page, pagePlans)
  return pagePlans
}
