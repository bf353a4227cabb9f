// The public entry `hydrant/react`: what page files import.

export { FailureBoundary } from './boundary.tsx'
export type { ErrorPageProps, LayoutProps, LoadData, NotFoundProps, PageProps, Params, Side } from './page-types.ts'
