// The public entry `hydrant/react`, which page files import.

export { type HrefArguments, type HrefOptions, type HrefParams, href, type RouteId, type Routes } from './href.ts'
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
export { FailureBoundary } from './tree/boundary.tsx'
export type { NavigationState, SubmitBody } from './tree/navigation-state.ts'
export { type ActionState, type SubmitOptions, useAction } from './tree/use-action.ts'
export { useNavigation } from './tree/use-navigation.ts'
