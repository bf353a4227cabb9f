import type { TreeLeaf } from '../../shared/tree/app-tree.tsx'
import { createFormProps } from '../../shared/tree/fields.ts'
import type { Build, Route } from '../build-output/load-build.ts'
import { createPlan, type DocumentPlan } from './document-plan.ts'
import { type CheckStep, createActionCheck, createAddressCheck, type GuardStep, stepsToPage } from './guards.ts'
import type { LoadStep, Loads } from './loads.ts'

/** A page's route with everything that is the same for every request. */
export interface PreparedRoute extends Route {
  /** The guards of the layouts, outermost first, the check of the address, the guard of the page, and the check of the action. */
  guards: readonly (GuardStep | CheckStep)[]
  /** The loads of the layouts and the page, outermost first. */
  steps: readonly LoadStep[]
  /** The result of `steps` when none of them has a load, else null. */
  noLoads: Loads | null
  plan: DocumentPlan
  leaf: TreeLeaf
  /** Whether code of the site decides who may see the page. */
  hasGuards: boolean
}

/** Returns a route that is prepared when it is first asked for. */
export type Prepare = (route: Route) => PreparedRoute

export function prepareRoute(route: Route, build: Build): PreparedRoute {
  const { rules } = route
  const { boot, serverFile, Component, css } = route.page
  const steps = [...route.layouts, { ...route.page, isPage: true }]
  const noLoads: Loads = { kind: 'loaded', values: steps.map(() => undefined) }
  const plan = createPlan(
    {
      chain: route,
      level: route.layouts.length,
      bootLeaf: { kind: 'page', ...boot, route: route.id, ...(rules && { rules }) },
      leaf: route.page,
      dataFile: serverFile,
      canStream: route.canStream,
    },
    build,
  )
  const guards = stepsToPage(route, createAddressCheck(route), createActionCheck(route))
  return {
    ...route,
    guards,
    hasGuards: guards.some((step) => 'guard' in step),
    steps,
    plan,
    leaf: { kind: 'page', Component, css, route: route.id, ...(rules && { rules, formProps: createFormProps }) },
    noLoads: steps.every((step) => step.load === null) ? noLoads : null,
  }
}
