import { STATUS_CODES } from 'node:http'
import { NOT_FOUND, type TreeLeaf } from '../../shared/tree/app-tree.tsx'
import type { BootLeaf } from '../../shared/wire/boot.ts'
import type { PublicError, Refusal } from '../../shared/wire/public-error.ts'
import type { LayoutChain as SiteFrame, SiteModule } from '../build-output/load-build.ts'
import type { NavigationAnswer, RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import type { Phase } from '../errors/failure-record.ts'
import type { SourceFunction } from '../failures/digest.ts'
import { CrossSiteError } from '../guards/csrf.ts'
import type { Format } from '../http/negotiate.ts'
import { classifyThrown } from '../thrown/classify-thrown.ts'
import { isSentOnRedirect, redirectLocation, redirectStatus } from '../thrown/redirect-location.ts'
import { SmallMap } from '../util/small-map.ts'
import { createPlan, type DocumentPlan, type PageRender, renderPage } from './render-page.ts'
import {
  sendDocument,
  sendPlainDocument,
  sendProblem,
  sendRedirect,
  sendShownHead,
  setShownHeaders,
} from './send-response.ts'

/** Where in the site something went wrong. */
export interface ErrorTarget {
  frame: SiteFrame
  /** Data of the layouts that can stand around what is shown, outermost first. */
  layoutData: readonly unknown[]
  params: Record<string, string>
}

export interface CaughtError {
  thrown: unknown
  phase: Phase
  /** For what carries no stack of its own. */
  origin?: SourceFunction
}

/**
 * Answers what a load, an action, a component, a hook or a route has thrown, as it was meant. Rejects when nothing at
 * all can be sent.
 */
export function respondWithError(
  { thrown, phase, origin }: CaughtError,
  place: ErrorTarget,
  format: Format,
  site: Site,
  visit: RequestContext,
): Promise<void> {
  if (visit.isGone) return ANSWERED
  const { hooksRun } = visit
  if (hooksRun) {
    const thrownAgain: CaughtError = { thrown, phase, ...(origin ? { origin } : {}) }
    return hooksRun.then(() => respondWithError(thrownAgain, place, format, site, visit))
  }
  const meaning = classifyThrown(thrown)
  if (meaning.kind === 'redirect') {
    const { to, status } = meaning.redirection
    try {
      const location = redirectLocation(to, visit.request.url, site.options.base)
      const { method } = visit.request
      if (visit.navigation) {
        const isSentOn = isSentOnRedirect(redirectStatus(status, method), method)
        visit.navigation.send(isSentOn ? ['redirect', location, 1] : ['redirect', location])
        visit.navigation.end()
      } else sendRedirect(location, redirectStatus(status, method), visit)
      return ANSWERED
    } catch (error) {
      return respondWithError({ thrown: error, phase, ...(origin ? { origin } : {}) }, place, format, site, visit)
    }
  }
  if (meaning.kind === 'failure') {
    const failure = visit.fail(thrown, { phase, ...(origin ? { place: origin } : {}) })
    const { digest, status } = visit.firstFailure ?? failure
    return showShown({ kind: 'failure', side: 'server', digest, status }, place, format, site, visit)
  }
  const refusal = meaning.kind === 'notFound' ? NOT_FOUND : createRefusal(meaning.status, meaning.message)
  // It has been told already, with more detail.
  if (!(thrown instanceof CrossSiteError))
    visit.note({ statusCode: refusal.status }, `refused with ${refusal.status}: ${refusal.message}`)
  return showShown(refusal, place, format, site, visit)
}

const ANSWERED = Promise.resolve()

export function createRefusal(status: number, message: string): Refusal {
  return { kind: 'refusal', status, message: message || (STATUS_CODES[status] ?? 'Refused') }
}

async function showShown(
  shown: PublicError,
  place: ErrorTarget,
  format: Format,
  site: Site,
  visit: RequestContext,
): Promise<void> {
  if (visit.hooksRun) await visit.hooksRun
  if (format === 'json') return sendProblem(shown, site, visit)
  if (visit.navigation) return showInNavigation(shown, place, visit.navigation, site, visit)
  if (visit.request.method === 'HEAD') return sendShownHead(shown, site, visit)
  try {
    await showInPlace(shown, place, site, visit)
  } catch (error) {
    // Last of all: an error in the path of errors itself.
    const failure = visit.fail(error, { phase: 'render' })
    const { digest, status } = visit.firstFailure ?? failure
    if (visit.hooksRun) await visit.hooksRun
    if (!visit.reply.sent) sendPlainDocument({ kind: 'failure', side: 'server', digest, status }, site, visit)
  }
}

/**
 * Renders what is shown in the place of the page. When that fails as well, what is at fault gives way, from inside to
 * outside: the site's own error page, then layout by layout; in the end stands a document that needs nothing.
 */
async function showInPlace(first: PublicError, place: ErrorTarget, site: Site, visit: RequestContext): Promise<void> {
  let shown = first
  let broken = NOTHING_BROKEN
  let level = place.layoutData.length
  while (level > 0) {
    const page = chooseModule(shown, place.frame, level, broken)
    const before = visit.firstFailure
    const known = visit.failureCount
    setShownHeaders(shown, site, visit)
    const rendered = await renderPage(createShownScene(shown, page, place, level, site), site, visit)
    if (rendered.kind === 'gone') return
    if (visit.hooksRun) await visit.hooksRun
    if (rendered.kind !== 'thrown') {
      sendDocument(rendered, site, visit)
      return rendered.kind === 'stream' ? rendered.ended : undefined
    }
    const failure = visit.fail(rendered.thrown, { phase: 'render' })
    if (visit.hooksRun) await visit.hooksRun
    if (failure.status === 504) break
    const { digest, status } = before ?? failure
    shown = { kind: 'failure', side: 'server', digest, status }
    // A failure that has been seen before is a layout's: what stands in its place has nothing to do with it.
    if (page && visit.failureCount > known) broken = new Set([...broken, page.module.file])
    else level--
  }
  sendPlainDocument(shown, site, visit)
}

const NOTHING_BROKEN: ReadonlySet<string | null> = new Set()

type Chosen =
  | { kind: 'notFound'; module: SiteFrame['notFound'] & object }
  | { kind: 'error'; module: SiteFrame['errorPages'][number] & object }

function chooseModule(
  shown: PublicError,
  frame: SiteFrame,
  level: number,
  broken: ReadonlySet<string | null>,
): Chosen | null {
  const isUsable = <C>(module: SiteModule<C> | null): module is SiteModule<C> =>
    module !== null && !broken.has(module.file)
  if (shown === NOT_FOUND && isUsable(frame.notFound)) return { kind: 'notFound', module: frame.notFound }
  const errorPage = frame.errorPages[level - 1] ?? null
  return isUsable(errorPage) ? { kind: 'error', module: errorPage } : null
}

// The browser peels by itself when what is shown fails there.
function showInNavigation(
  shown: PublicError,
  { frame, layoutData }: ErrorTarget,
  stream: NavigationAnswer,
  site: Site,
  visit: RequestContext,
) {
  const level = layoutData.length
  if (!stream.isOpen) setShownHeaders(shown, site, visit)
  stream.send(['shown', level, createBootLeaf(chooseModule(shown, frame, level, NOTHING_BROKEN)), shown])
  stream.end()
}

function createBootLeaf(page: Chosen | null): BootLeaf {
  const boot = page?.module.boot ?? { file: null }
  return { kind: page?.kind === 'notFound' ? 'notFound' : 'shown', ...boot }
}

function createShownScene(
  shown: PublicError,
  page: Chosen | null,
  place: ErrorTarget,
  level: number,
  { build }: Site,
): PageRender {
  const { frame, params } = place
  const { scripts, css } = page?.module ?? { scripts: [], css: [] }
  const leaf: TreeLeaf =
    page?.kind === 'notFound'
      ? { kind: 'notFound', Component: page.module.Component, css }
      : { kind: 'shown', shown, Component: page?.module.Component ?? null, css }
  const known = knownPlans(frame, page?.module ?? null)
  known[level] ??= createPlan(
    { frame, level, bootLeaf: createBootLeaf(page), leaf: { scripts, css }, dataFile: '', canStream: true },
    build,
  )
  return { plan: known[level], params, leaf, data: place.layoutData.slice(0, level) }
}

/** Of a frame and what stands inside its layouts, by how many of these there are. Of all of them there are few. */
type Plans = DocumentPlan[]
const plans = new WeakMap<SiteFrame, SmallMap<object | null, Plans>>()

function knownPlans(frame: SiteFrame, inside: Chosen['module'] | null): Plans {
  const ofFrame = plans.get(frame) ?? new SmallMap<object | null, Plans>()
  const known = ofFrame.get(inside)
  if (known) return known
  const fresh: Plans = []
  ofFrame.set(inside, fresh)
  plans.set(frame, ofFrame)
  return fresh
}
