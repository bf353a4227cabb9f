import type { Route } from '../build-output/load-build.ts'
import type { Visit } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import type { Format } from '../http/negotiate.ts'
import { createLoadContext, type LoadStep, type Loads, runLoads } from './loads.ts'
import { answerThrown, type Place } from './respond-with-error.ts'

export function loadOf(file: string) {
  return { file, function: 'load' }
}

export function loadAll(steps: readonly LoadStep[], params: Record<string, string>, site: Site, visit: Visit) {
  return runLoads(steps, createLoadContext(visit, site.app, params), visit, site)
}

export function createPlace(route: Route, { values }: Loads, params: Record<string, string>): Place {
  return { frame: route, params, layoutData: values.slice(0, route.layouts.length) }
}

export function answerLoads(
  loads: Extract<Loads, { kind: 'thrown' }>,
  place: Place,
  format: Format,
  site: Site,
  visit: Visit,
) {
  const { thrown, serverFile } = loads
  return answerThrown({ thrown, phase: 'load', origin: loadOf(serverFile) }, place, format, site, visit)
}
