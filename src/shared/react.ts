// The public entry `hydrant/react`: what page files import.

export { FailureBoundary } from './boundary.tsx'
export { type HrefArguments, type HrefOptions, type HrefParams, href, type RouteId, type Routes } from './href.ts'
export type { NavigationState, SubmitBody } from './navigation-state.ts'
export type {
  ActionData,
  ErrorPageProps,
  LayoutProps,
  LoadData,
  NotFoundProps,
  PageProps,
  Params,
  Side,
} from './page-types.ts'
export { type ActionState, type SubmitOptions, useAction } from './use-action.ts'
export { useNavigation } from './use-navigation.ts'
