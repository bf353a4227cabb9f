import { executionAsyncResource } from 'node:async_hooks'
import type { FastifyRequest } from 'fastify'
import type { SourceFrame, StandIn } from '../../errors/failure-record.ts'
import { handlerOf } from '../../http/route-config.ts'
import type { FailureContext } from '../failure-context.ts'
import type { ServerMapper, SourceMapper } from './source-map.ts'
import { FRAME_START, frameText, type MappedFrame } from './stack-frame.ts'

/** The site's files, which place a thrown value that has no stack. */
export interface RouteFiles {
  /** `server.ts`; null without one. */
  plugin: string | null
  pageOf(route: string): string | undefined
}

/** Where frames of a place come from. */
interface FrameSources {
  mapper: ServerMapper
  files: RouteFiles
}

/** Returns frames of the place where a value was thrown that has no frame in the site, innermost first. */
export function placeFrames(
  request: FastifyRequest,
  route: string,
  { phase, place, components }: FailureContext,
  { mapper, files }: FrameSources,
): MappedFrame[] {
  const frames = mapper.mapComponents(components?.componentStack ?? '', files.pageOf(route))
  if (frames.some(({ frame }) => frame?.isSite)) return frames.map((frame) => ({ ...frame, standIn: 'component' }))
  if (place) return [toFrame(place.function, mapper.locateExport(place.file, place.function), place.file)]
  const page = phase === 'render' ? files.pageOf(route) : undefined
  if (page !== undefined) return [toFrame('', mapper.locateExport(page, 'default'), page, { standIn: 'page' })]
  const handler = handlerOf(request)
  if (phase === 'route' || handler !== undefined) return [routeFrame(route, handler, mapper, files)]
  return [toFrame('', null, route, { text: `route ${route}` })]
}

/**
 * Returns the frame of the place where a value was thrown that nothing caught and that has no frame in the site. Only
 * valid inside the handler of `uncaughtException` or `unhandledRejection`.
 */
export function processFrames(mapper: ServerMapper, { plugin }: RouteFiles): MappedFrame[] {
  // The callback of a timer or of `process.nextTick` that threw.
  const { _onTimeout, callback }: { _onTimeout?: unknown; callback?: unknown } = executionAsyncResource()
  const found = mapper.locateFunction(_onTimeout ?? callback)
  if (found) return [toFrame(found.function, found, found.file)]
  // Code that runs outside of requests was started by `server.ts`.
  return plugin === null ? [] : [toFrame('', mapper.locateExport(plugin, 'default'), plugin)]
}

// The frame is named after the route: two handlers without a name must not share a fingerprint.
function routeFrame(route: string, handler: unknown, mapper: ServerMapper, { plugin }: RouteFiles): MappedFrame {
  const found = mapper.locateFunction(handler)
  if (found) return toFrame(`route ${route}`, found, found.file)
  if (plugin === null) return toFrame('', null, route, { text: `route ${route}` })
  const name = handler === undefined ? `hook of ${route}` : `route ${route}`
  return toFrame(name, mapper.locateExport(plugin, 'default'), plugin)
}

function toFrame(
  name: string,
  found: SourceFrame | null,
  file: string,
  { text, standIn = 'function' }: { text?: string; standIn?: StandIn } = {},
): MappedFrame {
  if (found) {
    const frame = { ...found, function: name }
    return { text: frameText(frame), frame, standIn }
  }
  const frame = { file, line: 0, column: 0, function: name, isSite: true }
  return { text: `    at ${text ?? (name ? `${name} (${file})` : file)}`, frame, standIn }
}

/** Returns the innermost frame in the site: its line, or its call of a package that threw; null without one. */
export function findSiteFrame(error: Error, mapper: Pick<SourceMapper, 'mapFrame'>): SourceFrame | null {
  for (const frame of siteFrames(error, mapper)) return frame
  return null
}

/** Yields the frames of an error's stack in the site, the innermost first. */
export function* siteFrames(error: Error, { mapFrame }: Pick<SourceMapper, 'mapFrame'>): Generator<SourceFrame> {
  // `Error.prepareStackTrace` of another library may return a value of any type.
  for (const line of String(error.stack).split('\n')) {
    const { frame } = line.startsWith(FRAME_START) ? mapFrame(line) : { frame: null }
    if (frame?.isSite) yield frame
  }
}

/** Returns a place as it is written in messages: `pages/index.tsx:4:9`. */
export function showFrame({ file, line, column }: SourceFrame): string {
  return `${file}:${line}:${column}`
}
