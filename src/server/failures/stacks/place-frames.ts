import { executionAsyncResource } from 'node:async_hooks'
import type { SourceFrame } from '../../errors/failure-record.ts'
import { handlerOf } from '../../http/route-handlers.ts'
import type { FailureContext, FailureSubject } from '../failure-context.ts'
import type { ServerMapper } from './source-map.ts'
import { frameText, type MappedFrame } from './stack-frame.ts'

/** The site's files, for what says nothing else of where it comes from. */
export interface SiteFiles {
  /** `server.ts`; null when there is none. */
  plugin: string | null
  /** The file of a page, by its route. */
  pageOf(route: string): string | undefined
}

/** Where it happened, for what was thrown without a stack that leads to the site: innermost first. */
export function placeFrames(
  { request, route }: Pick<FailureSubject, 'request' | 'route'>,
  { phase, place, components }: FailureContext,
  mapper: ServerMapper,
  files: SiteFiles,
): MappedFrame[] {
  const frames = mapper.mapComponents(components?.componentStack ?? '')
  if (frames.some(({ frame }) => frame?.isSite)) return frames
  if (place) return [toFrame(place.function, mapper.locateExport(place.file, place.function), place.file)]
  const page = phase === 'render' ? files.pageOf(route) : undefined
  if (page !== undefined) return [toFrame('', mapper.locateExport(page, 'default'), page)]
  if (phase === 'route') return [routeFrame(route, handlerOf(request), mapper, files)]
  return [toFrame('', null, route, `route ${route}`)]
}

/** The same for what nothing has caught, asked for while it is being told. */
export function processFrames(mapper: ServerMapper, { plugin }: SiteFiles): MappedFrame[] {
  // The callback of a timer, or of `process.nextTick`, for as long as what it has thrown is being told of.
  const { _onTimeout, callback }: { _onTimeout?: unknown; callback?: unknown } = executionAsyncResource()
  const found = mapper.locateFunction(_onTimeout ?? callback)
  if (found) return [toFrame(found.function, found, found.file)]
  // Whatever has no request belongs to what the site does by itself.
  return plugin === null ? [] : [toFrame('', mapper.locateExport(plugin, 'default'), plugin)]
}

// Two handlers without a name must have two fingerprints: their routes are their names.
function routeFrame(route: string, handler: unknown, mapper: ServerMapper, { plugin }: SiteFiles): MappedFrame {
  const found = mapper.locateFunction(handler)
  if (found) return toFrame(`route ${route}`, found, found.file)
  if (plugin === null) return toFrame('', null, route, `route ${route}`)
  const name = handler === undefined ? `hook of ${route}` : `route ${route}`
  return toFrame(name, mapper.locateExport(plugin, 'default'), plugin)
}

function toFrame(name: string, found: SourceFrame | null, file: string, text?: string): MappedFrame {
  if (found) {
    const frame = { ...found, function: name }
    return { text: frameText(frame), frame }
  }
  const frame = { file, line: 0, column: 0, function: name, isSite: true }
  return { text: `    at ${text ?? (name ? `${name} (${file})` : file)}`, frame }
}
