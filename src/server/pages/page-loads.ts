import type { Route } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import type { Format } from '../http/negotiate.ts'
import { createLoadContext, type LoadStep, type Loads, runLoads } from './loads.ts'
import { type ErrorTarget, respondWithError } from './respond-with-error.ts'

export function loadOf(file: string) {
  return { file, function: 'load' }
}

export function loadAll(steps: readonly LoadStep[], params: Record<string, string>, site: Site, visit: RequestContext) {
  return runLoads(steps, createLoadContext(visit, site.app, params), visit, site)
}

export function createPlace(route: Route, { values }: Loads, params: Record<string, string>): ErrorTarget {
  return { frame: route, params, layoutData: values.slice(0, route.layouts.length) }
}

export function answerLoads(
  loads: Extract<Loads, { kind: 'thrown' }>,
  place: ErrorTarget,
  format: Format,
  site: Site,
  visit: RequestContext,
) {
  const { thrown, serverFile } = loads
  return respondWithError({ thrown, phase: 'load', origin: loadOf(serverFile) }, place, format, site, visit)
}
