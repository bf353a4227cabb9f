import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { ASSETS_PATH, decodeLoosely, withBase } from '../../shared/paths.ts'
import { BOUNDARY_FILE } from '../../shared/tree/boundary.tsx'
import type { Report, ReportedError } from '../../shared/wire/report-format.ts'
import type { Build, Route } from '../build-output/load-build.ts'
import { BUILD_PATHS, isBuildOf } from '../build-output/manifest.ts'
import type { Site } from '../context/site.ts'
import { explainReactError } from '../errors/react-errors.ts'
import type { Description } from '../failures/describe-thrown.ts'
import { type ClientMapper, createClientMapper } from '../failures/stacks/client-source-map.ts'
import type { ServerMapper } from '../failures/stacks/source-map.ts'
import {
  frameText,
  type MappedFrame,
  readBrowserStack,
  readFrame,
  unplacedName,
} from '../failures/stacks/stack-frame.ts'
import { pathOf } from '../http/request-url.ts'
import type { FailureStore } from '../ledger/failure-store.ts'
import type { RecordReport } from './report-route.ts'

export interface ReportRecorderInput {
  site: Site
  store: Pick<FailureStore, 'markRecovered'>
  release: string
}

/** Records reported failures, and marks those of the server that the browser has recovered from. */
export function createReportRecorder({ site, store, release }: ReportRecorderInput): RecordReport {
  const { build, failures } = site
  const { base } = site.options
  const mapper = createClientMapper({ siteDir: build.siteDir, folder: build.folder, base })

  function fail(report: FailureReport, request: FastifyRequest) {
    const { error, path, isRecovered, componentStack } = report
    const route = matchRoute(withoutBase(path, base), build.routes)
    const isThisBuild = report.build === build.manifest.buildId
    const opened = isThisBuild ? route : null
    const components = () => mapComponents(componentStack ?? '', scriptsOf(opened, build, base), mapper)
    failures.failInBrowser(
      {
        description: describeReported(error, mapper),
        mapper,
        route: route?.id ?? '*',
        path: pathOf(path),
        placeFrames: () =>
          placeFramesOf(components().map(asStandIn), pageFrame(route, isThisBuild ? site.mapper : null)),
        components: () => components().map(withReactsName),
        ...versionOf(report.build),
        isRecovered,
      },
      request,
    )
  }

  // Checked against the builds on disk, because a client can send any build: a failure that was marked as solved
  // opens again when it comes from a new release.
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

interface MappedComponent extends MappedFrame {
  /** The component's name in React's stack. */
  component: string
}

type FailureReport = Extract<Report, { kind: 'failure' }>

function describeReported(error: ReportedError, mapper: ClientMapper): Description {
  const { type, message, stack, cause, errors } = error
  const frames = readBrowserStack(stack)
  return {
    type: mapper.typeName(type, frames),
    message: explainReactError(message),
    stack: frames.join('\n'),
    ...(cause === undefined ? {} : { cause: describeReported(cause, mapper) }),
    ...(errors === undefined ? {} : { errors: errors.map((one) => describeReported(one, mapper)) }),
  }
}

/**
 * Returns the frames of the components around the place. React gives the location of a component only if the component
 * fails without its props; the others have only a minified name. Where no component of the site has a location, the page
 * is added, which is inside Hydrant's error boundary: after the last component inside it that is known by its name.
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

const asStandIn = (mapped: MappedFrame): MappedFrame => ({ ...mapped, standIn: 'component' })

/** Names a component that has no name in its source map. React's name is minified in production. */
function withReactsName({ component, ...mapped }: MappedComponent): MappedFrame {
  const { frame } = mapped
  return frame === null || frame.function ? mapped : { ...mapped, frame: { ...frame, function: component } }
}

/**
 * Returns the URLs of the scripts to search for names of components: those of the route if it is of the running
 * build. In development, each module is a script of its own, and only those that browsers have asked for have a map.
 */
function scriptsOf(route: Route | null, { manifest, folder }: Build, base: string): string[] {
  if (route === null) return []
  if (manifest.mode === 'development') return currentScripts(folder).map((name) => withBase(base, ASSETS_PATH) + name)
  return [...new Set([route.page, ...route.layouts].flatMap(({ scripts }) => scripts))]
}

function mapComponents(stack: string, scripts: readonly string[], mapper: ClientMapper): MappedComponent[] {
  return readBrowserStack(stack).map((text) => {
    const name = unplacedName(text)
    const mapped = (name !== undefined && mapper.locateComponent(name, scripts)) || mapper.mapFrame(text)
    return { ...mapped, component: name ?? readFrame(text)?.function ?? '' }
  })
}

/** @param mapper Null for a page of another build, which has other line numbers. */
function pageFrame(route: Route | null, mapper: ServerMapper | null): MappedFrame | null {
  const file = route?.page.file ?? null
  if (file === null) return null
  const found = mapper?.locateExport(file, 'default')
  const standIn = 'page'
  if (found) return { text: frameText({ ...found, function: '' }), frame: { ...found, function: '' }, standIn }
  return { text: `    at ${file}`, frame: { file, line: 0, column: 0, function: '', isSite: true }, standIn }
}

function withoutBase(path: string, base: string): string {
  if (base === '/' || !path.startsWith(base)) return path
  return path.slice(base.length) || '/'
}

/** Returns the latest scripts in development with a source map. `index-ABCDEFGH.3.js` has version 3. */
function currentScripts(folder: string): string[] {
  const latest = new Map<string, number>()
  for (const name of readdirSync(join(folder, BUILD_PATHS.clientMaps))) {
    const [, stem, version] = /^(.+)\.(\d+)\.js\.map$/.exec(name) ?? []
    if (stem !== undefined) latest.set(stem, Math.max(latest.get(stem) ?? 0, Number(version)))
  }
  return [...latest].map(([stem, version]) => `${stem}.${version}.js`)
}

/** Returns the route that Fastify would choose, or null: static parts win over parameters, and these over `*`. */
export function matchRoute<Route extends { url: string }>(path: string, routes: readonly Route[]): Route | null {
  const parts = path.split('/').slice(1).map(decodeLoosely)
  let best: { route: Route; rank: string } | null = null
  for (const route of routes) {
    const rank = rankOf(route.url.split('/').slice(1), parts)
    if (rank !== null && (best === null || rank < best.rank)) best = { route, rank }
  }
  return best?.route ?? null
}

/** Returns a letter for each segment, the better match first in the alphabet; null when one does not match. */
function rankOf(pattern: readonly string[], parts: readonly string[]): string | null {
  let rank = ''
  for (const [index, wanted] of pattern.entries()) {
    const part = parts[index]
    if (wanted === '*') return part === undefined ? null : `${rank}c`
    if (part === wanted) rank += 'a'
    else if (wanted.startsWith(':') && part) rank += 'b'
    else return null
  }
  return pattern.length === parts.length ? rank : null
}
