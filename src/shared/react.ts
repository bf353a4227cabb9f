// The public entry `hydrant/react`, which page files import.

export { type HrefArguments, type HrefOptions, type HrefParams, href } from './href.ts'
export type {
  ErrorPageProps,
  LayoutProps,
  NotFoundProps,
  PageProps,
  Side,
} from './page-types.ts'
export type { LayoutRoute, Layouts, PageRoute, Params, RouteId, Routes } from './routes.ts'
export { FailureBoundary } from './tree/boundary.tsx'
export type { NavigationState, SubmitBody } from './tree/navigation-state.ts'
export { prefetch } from './tree/prefetch.ts'
export { type ActionState, type SubmitOptions, useAction } from './tree/use-action.ts'
export { useNavigation } from './tree/use-navigation.ts'
