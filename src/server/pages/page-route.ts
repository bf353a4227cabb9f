import type { FastifyRequest } from 'fastify'
import type { TreeLeaf } from '../../shared/tree/app-tree.tsx'
import type { Build, Route } from '../build-output/load-build.ts'
import { isNavigation } from '../http/navigation-strategy.ts'
import { type Format, preferredFormat } from '../http/negotiate.ts'
import type { LoadStep, Loads } from './loads.ts'
import { createPlan, type DocumentPlan } from './render-page.ts'

/** A page's route with what is the same for each of its requests. */
export interface PageRoute extends Route {
  /** The layouts' loads and the page's, outermost first. */
  steps: readonly LoadStep[]
  /** Set when none of them loads anything. */
  noLoads: Loads | null
  plan: DocumentPlan
  leaf: TreeLeaf
}

export function createPageRoute(route: Route, build: Build): PageRoute {
  const { boot, serverFile, Component, css } = route.page
  const steps = [...route.layouts, route.page]
  const noLoads: Loads = { kind: 'loaded', values: steps.map(() => undefined) }
  const plan = createPlan(
    {
      frame: route,
      level: route.layouts.length,
      bootLeaf: { kind: 'page', ...boot },
      leaf: route.page,
      dataFile: serverFile,
      canStream: route.canStream,
    },
    build,
  )
  return {
    ...route,
    steps,
    plan,
    leaf: { kind: 'page', Component, css },
    noLoads: steps.every((step) => step.load === null) ? noLoads : null,
  }
}

export function paramsOf(route: Route, request: FastifyRequest): Record<string, string> {
  // Fastify has decoded them once; all are strings.
  const params = request.params as Record<string, string>
  if (route.catchAll === null) return params
  const { '*': rest = '', ...others } = params
  return { ...others, [route.catchAll]: rest }
}

export function formatOf(request: FastifyRequest): Format {
  return isNavigation(request) ? 'navigation' : preferredFormat(request.headers)
}
