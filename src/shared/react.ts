// The public entry `hydrant/react`, which page files import.

export { type HrefArguments, type HrefOptions, type HrefParams, href } from './href.ts'
export type {
  ErrorPageProps,
  Field,
  InvalidForm,
  LayoutProps,
  NotFoundProps,
  OptionAttributes,
  PageAction,
  PageActions,
  PageFields,
  PageProps,
} from './page-types.ts'
export { type PublicEnv, publicEnv } from './public-env.ts'
export type { ActionRoute, LayoutRoute, Layouts, PageRoute, Params, RouteId, Routes } from './routes.ts'
export type { StandardSchema } from './standard-schema.ts'
export { FailureBoundary } from './tree/boundary.tsx'
export type { SubmissionError } from './tree/browser.ts'
export { prefetch, refresh } from './tree/browser-functions.ts'
export type { LiveState, NavigationState, SubmitBody } from './tree/browser-state.ts'
export { Image, type ImageProps, type ImageSource, type ImportedImage } from './tree/image.tsx'
export { useLayoutData, useParams, useUrl } from './tree/page-hooks.ts'
export type { SubmissionResult } from './tree/submission-state.ts'
export { useLive, useNavigation } from './tree/use-browser-state.ts'
export { useRestoredState } from './tree/use-restored-state.ts'
export { type Submission, type SubmitOptions, useSubmission } from './tree/use-submission.ts'
export type { Invalid } from './wire/boot.ts'
export type { Side } from './wire/public-error.ts'
