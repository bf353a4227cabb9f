import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import {
  type CollectedRequest,
  formOf,
  type PrerenderedRedirect,
  type ResponseCollector,
} from '../../../src/server/cache/prerendered-pages.ts'
import type { StoredResponse } from '../../../src/server/cache/shared/shared-store.ts'
import type { FailureRecord, KeptError, SourceFrame } from '../../../src/server/errors/failure-record.ts'
import type { ExportPlace } from '../../../src/server/errors/hydrant-error.ts'
import { FORMATS, type Format, formatsToAccept } from '../../../src/server/http/formats.ts'
import { REQUEST_ID_HEADER } from '../../../src/server/http/headers.ts'
import { placeNote } from '../../../src/server/ledger/failure-json.ts'
import type { Options } from '../../../src/server/options/options.ts'
import type { PreparedRoute } from '../../../src/server/pages/prepared-route.ts'
import { layoutKey } from '../../../src/shared/wire/boot.ts'
import {
  BUILD_HEADER,
  LAYOUTS_HEADER,
  NAVIGATION_MARK,
  writeLayoutKeys,
} from '../../../src/shared/wire/navigation-protocol.ts'
import { type BuildProblem, createProblem, fileAt, type SourceLocation } from '../../build-problem.ts'
import { findFix } from '../../find-fix.ts'
import { formatInner, formatNamedPlace } from '../../terminal/format-failure.ts'

/** A server of the site that has just been built. */
export interface RenderingServer {
  app: FastifyInstance
  /** The placeholder for the visitors' origin. */
  origin: string
  build: string
  hasMarkdown: boolean
  routes: readonly string[]
  outcomes: Outcomes
}

/** A response of a page: see `formOf`. `path` is the path of the request, as Hydrant spells it. */
export interface RenderedForm {
  kind: 'form'
  form: string
  path: string
  params: Record<string, string>
  response: StoredResponse
}

/** A page whose load redirects. */
export interface RenderedRedirect {
  kind: 'redirect'
  path: string
  redirect: PrerenderedRedirect
}

export type RenderResult = RenderedForm | RenderedRedirect | { kind: 'problem'; problem: PrerenderProblem }

type Outcome =
  | { kind: 'redirect'; request: CollectedRequest; redirect: PrerenderedRedirect }
  | { kind: 'stored'; request: CollectedRequest; response: StoredResponse }
  | { kind: 'refused'; request: CollectedRequest; reason: string; place: SourceFrame | null }

/** The results of requests, by the ids of the requests. */
export interface Outcomes {
  collector: ResponseCollector
  addFailure(failure: FailureRecord): void
  take(requestId: string): { outcome: Outcome | undefined; failure: FailureRecord | undefined }
}

export function createOutcomes(): Outcomes {
  const outcomes = new Map<string, Outcome>()
  const failures = new Map<string, FailureRecord>()
  return {
    collector: {
      store: (request, response) => outcomes.set(request.id, { kind: 'stored', request, response }),
      storeRedirect: (request, redirect) => outcomes.set(request.id, { kind: 'redirect', request, redirect }),
      refuse: (request, reason, place) => outcomes.set(request.id, { kind: 'refused', request, reason, place }),
    },
    addFailure(failure) {
      // The first one has the digest of the response.
      if (failure.requestId !== null && !failures.has(failure.requestId)) failures.set(failure.requestId, failure)
    },
    take(requestId) {
      const taken = { outcome: outcomes.get(requestId), failure: failures.get(requestId) }
      outcomes.delete(requestId)
      failures.delete(requestId)
      return taken
    },
  }
}

interface Asked {
  format: Format
  /** For a navigation, the layouts that the browser has. */
  layouts: readonly string[]
}

/** Renders a page in all forms. Calls `onResult` for each until one has a problem, or once for a redirect. */
export async function renderAddress(
  server: RenderingServer,
  route: PreparedRoute,
  url: string,
  onResult: (result: RenderResult) => Promise<void>,
): Promise<void> {
  const document = await renderForm(server, route, url, { format: 'html', layouts: [] })
  await onResult(document)
  if (document.kind !== 'form') return
  for (const asked of otherForms(server, route, document.params)) {
    const rendered = await renderForm(server, route, url, asked)
    await onResult(rendered)
    if (rendered.kind === 'problem') return
  }
}

/** Lists the forms of a page but the document. The outermost layout is shared, so no navigation loads it. */
function otherForms({ hasMarkdown }: RenderingServer, route: PreparedRoute, params: Record<string, string>): Asked[] {
  const keys = route.plan.bootLayouts.map((layout) => layoutKey(layout, params))
  const navigations = route.isHydrated ? keys.map((_, index) => keys.slice(0, index + 1)) : []
  const accepted = formatsToAccept(hasMarkdown).filter((format) => {
    const { isDocument, isData } = FORMATS[format]
    return isData ? route.page.load !== null : !isDocument
  })
  return [
    ...accepted.map((format) => ({ format, layouts: [] })),
    ...navigations.map((layouts) => ({ format: 'navigation', layouts }) as const),
  ]
}

/** Renders the page at an address with the base in one form. */
export async function renderForm(
  { app, origin, build, routes, outcomes }: RenderingServer,
  route: PreparedRoute,
  url: string,
  { format, layouts }: Asked,
): Promise<RenderResult> {
  const { isNavigation, accept } = FORMATS[format]
  const reply = await app.inject({
    method: 'GET',
    url: isNavigation ? `${url}?${NAVIGATION_MARK}` : url,
    headers: {
      host: new URL(origin).host,
      // The export's server trusts this header. The build's server ignores it.
      'x-forwarded-proto': new URL(origin).protocol.slice(0, -1),
      accept: accept[0] ?? '*/*',
      ...(isNavigation ? { [BUILD_HEADER]: build, [LAYOUTS_HEADER]: writeLayoutKeys(layouts) } : {}),
    },
  })
  const { outcome, failure } = outcomes.take(String(reply.headers[REQUEST_ID_HEADER]))
  if (outcome && outcome.kind !== 'refused' && outcome.request.route === route.id) {
    const { path, params } = outcome.request
    if (outcome.kind === 'redirect') return { kind: 'redirect', path, redirect: outcome.redirect }
    return { kind: 'form', form: formOf(format, layouts.length), path, params, response: outcome.response }
  }
  const about = route.prerender && prerenderIn(route.prerender.file)
  const problem = { about, ...problemOf(url, reply, outcome, failure, routes) }
  return { kind: 'problem', problem }
}

function problemOf(
  url: string,
  reply: LightMyRequestResponse,
  outcome: Outcome | undefined,
  failure: FailureRecord | undefined,
  routes: readonly string[],
) {
  if (failure) {
    const place = frameIn(failure.error)
    const message = `${failure.error.type}: ${failure.message}`
    const problem = createProblem('HYD_PRERENDER_FAILED', [url, message], place && locationOf(place))
    const fix = findFix('server', failure.error, routes)
    return { ...problem, fix: fix ?? problem.fix, details: describeReason(failure) }
  }
  if (outcome?.kind === 'refused') {
    const { reason, place } = outcome
    return createProblem('HYD_PRERENDER_PERSONAL', [url, reason], place && locationOf(place))
  }
  if (reply.headers['set-cookie'] !== undefined)
    return createProblem('HYD_PRERENDER_PERSONAL', [url, 'its response has the header set-cookie'])
  return createProblem('HYD_PRERENDER_RESPONSE', [url, describeResponse(reply)])
}

/** Returns the note about the place, the causes of the error, and the errors of an AggregateError. */
function describeReason(failure: FailureRecord): string[] {
  const note = placeNote(failure)
  const inner = formatInner(failure.error, { name: (text) => text, stack: formatSiteFrames })
  return [...(note === null ? [] : [note]), ...inner.filter(Boolean)]
}

function formatSiteFrames(frames: readonly SourceFrame[], indent: string): string[] {
  return frames.filter(({ isSite }) => isSite).map((frame) => `${indent}at ${formatNamedPlace(frame.function, frame)}`)
}

function describeResponse({ statusCode, headers }: LightMyRequestResponse): string {
  if (headers.location !== undefined) return `it redirects to ${headers.location}`
  if (statusCode === 404) return 'its response is a 404'
  if (statusCode >= 400) return `its response has the status ${statusCode}`
  return 'another page, a file or a route of server.ts responds to it'
}

function frameIn({ stack, cause, errors = [] }: KeptError): SourceFrame | null {
  const frame = stack.find(({ isSite, line }) => isSite && line > 0)
  if (frame) return frame
  for (const inner of [...(cause ? [cause] : []), ...errors]) {
    const found = frameIn(inner)
    if (found) return found
  }
  return null
}

function locationOf({ file, line, column }: SourceFrame): SourceLocation {
  return { ...fileAt(file, line), column: column > 0 ? column : null }
}

/** Returns the options of a server that renders pages into files: nothing for visitors, operators or other servers. */
export function renderingOptions(options: Options, atATime: number): Options {
  const { limits } = options
  return {
    ...options,
    hosts: [],
    ledger: false,
    onFailure: null,
    trustProxy: false,
    proxyStripsBase: false,
    logRequests: false,
    limits: { ...limits, maxEventLoopDelayMs: 0, maxRenders: Math.max(limits.maxRenders, atATime) },
  }
}

// The messages of the process that prerenders pages to the build.

export interface PrerenderProblem extends BuildProblem {
  /** The export that is shown if the problem has no other place; null for none. */
  about: ExportPlace | null
}

/** Returns the export `prerender` of a file. */
export function prerenderIn(file: string): ExportPlace {
  return { file, name: 'prerender' }
}

export type PrerenderMessage =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'done'; pages: number }
  | { kind: 'failed'; problems: PrerenderProblem[] }
