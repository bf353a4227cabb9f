import type { FastifyRequest } from 'fastify'
import { BOUNDARY_FILE } from '../../shared/tree/boundary-file.ts'
import type { Report, ReportedError } from '../../shared/wire/report-format.ts'
import type { Route } from '../build-output/load-build.ts'
import { isBuildOf } from '../build-output/loaded-bundles.ts'
import type { Site } from '../context/site.ts'
import type { Description } from '../failures/describe-thrown.ts'
import { readBrowserStack } from '../failures/stacks/browser-stack.ts'
import { type ClientMapper, createClientMapper } from '../failures/stacks/client-source-map.ts'
import type { ServerMapper } from '../failures/stacks/source-map.ts'
import { frameText, type MappedFrame, unplacedName } from '../failures/stacks/stack-frame.ts'
import { pathOf } from '../http/request-url.ts'
import type { FailureStore } from '../ledger/failure-store.ts'
import { matchRoute } from './match-route.ts'
import type { TakeReport } from './report-route.ts'

export interface TakeReportInput {
  site: Site
  store: Pick<FailureStore, 'markRecovered'>
  /** Name of what is running now. */
  release: string
}

/** Makes failures of what browsers report, or marks those of the server that a browser has recovered from. */
export function createTakeReport({ site, store, release }: TakeReportInput): TakeReport {
  const { build, failures } = site
  const { base } = site.options
  const mapper = createClientMapper({ siteDir: build.siteDir, folder: build.folder, base })

  function fail({ error, path, isRecovered, componentStack, ...own }: FailureReport, request: FastifyRequest) {
    const route = matchRoute(withoutBase(path, base), build.routes)
    const isOwn = own.build === build.manifest.buildId
    const opened = isOwn ? route : null
    failures.failInBrowser(
      {
        description: describeReported(error, mapper),
        mapper,
        route: route?.id ?? '*',
        path: pathOf(path),
        placeFrames: () =>
          placeFramesOf(
            mapComponents(componentStack ?? '', opened, mapper),
            pageFrame(route, isOwn ? site.mapper : null),
          ),
        ...versionOf(own.build),
        isRecovered,
      },
      request,
    )
  }

  // Anybody can say anything: a release that is met for the first time opens again what was marked as solved.
  function versionOf(buildId: string): { release: string; build: string | null } {
    if (buildId === build.manifest.buildId) return { release, build: buildId }
    return isBuildOf(build.folder, buildId) ? { release: buildId, build: buildId } : UNKNOWN_VERSION
  }

  return (report, request) => {
    if (report.kind === 'failure') fail(report, request)
    else store.markRecovered(report.digest)
  }
}

const UNKNOWN_VERSION = { release: 'unknown', build: null }

type FailureReport = Extract<Report, { kind: 'failure' }>

function describeReported({ type, message, stack, cause }: ReportedError, mapper: ClientMapper): Description {
  const frames = readBrowserStack(stack)
  const own = { type: mapper.typeName(type, frames), message, stack: frames.join('\n') }
  return cause === undefined ? own : { ...own, cause: describeReported(cause, mapper) }
}

/**
 * The components around the place. What stands inside of the page's boundary and is none of them is the page's, which
 * follows those that are known by their names alone: React places a component only if it fails without its props.
 */
function placeFramesOf(components: MappedFrame[], page: MappedFrame | null): MappedFrame[] {
  const index = components.findIndex(
    ({ frame, isByName }) => frame && !isByName && (frame.isSite || BOUNDARY_FILE.test(frame.file)),
  )
  if (page === null || components[index]?.frame?.isSite) return components
  const inside = index === -1 ? components : components.slice(0, index)
  const named = inside.findLastIndex(({ isByName }) => isByName) + 1
  return [...components.slice(0, named), page, ...components.slice(named)]
}

/** @param route The one that was open, of the build that runs: its scripts may say what has a name alone. */
function mapComponents(stack: string, route: Route | null, mapper: ClientMapper): MappedFrame[] {
  const modules = route === null ? [] : [route.page, ...route.layouts]
  const scripts = [...new Set(modules.flatMap(({ scripts }) => scripts))]
  return readBrowserStack(stack).map((text) => {
    const name = unplacedName(text)
    return (name !== undefined && mapper.locateComponent(name, scripts)) || mapper.mapFrame(text)
  })
}

/** @param mapper Null for a page of another build, whose lines are others. */
function pageFrame(route: Route | null, mapper: ServerMapper | null): MappedFrame | null {
  const file = route?.page.file ?? null
  if (file === null) return null
  const found = mapper?.locateExport(file, 'default')
  if (found) return { text: frameText({ ...found, function: '' }), frame: { ...found, function: '' } }
  return { text: `    at ${file}`, frame: { file, line: 0, column: 0, function: '', isSite: true } }
}

function withoutBase(path: string, base: string): string {
  if (base === '/' || !path.startsWith(base)) return path
  return path.slice(base.length) || '/'
}
