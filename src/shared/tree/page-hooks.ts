import { useContext } from 'react'
import type { LayoutProps, PageProps } from '../page-types.ts'
import type { LayoutRoute, PageRoute } from '../routes.ts'
import { contextOf, contexts } from './page-values.ts'
import type { Address } from './platform.ts'

/**
 * Returns the data of a layout around the component: `useLayoutData('/shop')` is the prop `data` of
 * `pages/shop/layout.tsx`. The component is rendered again when the data changes. Throws HYD_HOOK_PLACE where that layout
 * does not surround the component.
 *
 * @param route The path of the layout's folder in `pages/`, with its groups.
 */
export function useLayoutData<const Route extends LayoutRoute>(route: Route): LayoutProps<Route>['data'] {
  const data = useContext(contextOf(route))
  if (data === contexts) throw outOfPlace(`useLayoutData(${JSON.stringify(route)})`, 'that layout')
  // The tree provides the result of this layout's load.
  return data as LayoutProps<Route>['data']
}

/**
 * Returns the URL of the page, as the server sees it: the prop `url` of the page and its layouts. The component is rendered
 * again when the URL changes. Throws HYD_HOOK_PLACE outside of a page.
 */
export function useUrl(): URL {
  const address = useContext(contextOf('url'))
  if (address === contexts) throw outOfPlace('useUrl()', 'a page')
  // The tree provides it.
  return (address as Address).url
}

/**
 * Returns the parameters of the page: `useParams('/products/[id]')` is its prop `params`. The component is rendered again
 * when one of them changes. Throws HYD_HOOK_PLACE where the document does not show that page: on other pages, and where
 * `error.tsx` or `not-found.tsx` has replaced the page on the server.
 *
 * @param route The route of the page.
 */
export function useParams<const Route extends PageRoute>(route: Route): PageProps<Route>['params'] {
  const params = useContext(contextOf('params'))
  if (useContext(contextOf('route')) !== route) throw outOfPlace(`useParams(${JSON.stringify(route)})`, 'that page')
  // The tree provides the parameters of this route.
  return params as PageProps<Route>['params']
}

// The browser has no table of errors. A test compares this entry with it.
function outOfPlace(call: string, place: string): Error {
  return Object.assign(new Error(`${call} is called outside of ${place}`), {
    name: 'HydrantError',
    code: 'HYD_HOOK_PLACE',
    fix: 'Call the hook in a component that the layout or the page renders; in a test, wrap the component with createPageWrapper() of hydrant/test.',
  })
}
