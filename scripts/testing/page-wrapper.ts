import type { ReactElement, ReactNode } from 'react'
import { Fragment, jsx } from 'react/jsx-runtime'
import type { LayoutProps, PageProps } from '../../src/shared/page-types.ts'
import type { LayoutRoute, PageRoute } from '../../src/shared/routes.ts'
import { provide } from '../../src/shared/tree/page-values.ts'

/** What the hooks of components return in a test. A hook whose value is missing throws HYD_HOOK_PLACE. */
export interface PageValues<Route extends PageRoute = PageRoute> {
  /** What `useUrl` returns. A path is one of `http://localhost` (`/`). */
  url?: string | URL
  /** The route of the page, for `useParams` (none). */
  route?: Route
  /** What `useParams` returns for that route (`{}`). */
  params?: PageProps<Route>['params']
  /** What `useLayoutData` returns for the layouts around the component, by their routes (none). */
  layouts?: { [Layout in LayoutRoute]?: LayoutProps<Layout>['data'] }
}

/** See `createPageWrapper` in `index.ts`. */
export function wrapperOf({ url = '/', route, params = {}, layouts = {} }: PageValues) {
  const address = { url: new URL(url, 'http://localhost') }
  return function PageWrapper({ children }: { children?: ReactNode }): ReactElement {
    const inside = Object.entries(layouts).reduce(
      (inner, [layout, data]) => provide(layout, data, inner),
      jsx(Fragment, { children }),
    )
    return provide('url', address, provide('params', params, provide('route', route, inside)))
  }
}
