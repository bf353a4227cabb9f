import { base } from '../shared/base.ts'
import { navigationFile } from '../shared/paths.ts'
import {
  BUILD_HEADER,
  LAYOUTS_HEADER,
  NAVIGATION_MARK,
  NAVIGATION_TYPE,
  REFRESH_HEADER,
  writeLayoutKeys,
} from '../shared/wire/navigation-protocol.ts'
import type { App } from './app.tsx'
import { type FetchResult, readPage } from './read-page.ts'

interface FetchOptions extends Pick<RequestInit, 'signal' | 'priority'> {
  /** True when the current page is out of date: the loads of the layouts that stay run too (false). */
  isStale?: boolean
  /** The value of `NavigatorState.version` (0). */
  version?: number
  /** True for the URL of the current page (false). */
  isRefresh?: boolean
}

/**
 * Requests the page at a URL of this site. Its modules and its data are loaded at the same time. Promises in the data
 * settle later. Rejects when the network fails and when a module cannot be loaded.
 */
export async function fetchPage(
  url: URL,
  app: App,
  { isStale, version = 0, isRefresh, ...init }: FetchOptions,
): Promise<FetchResult> {
  const currentLayouts = isStale ? '' : writeLayoutKeys(app.tree.layouts.map(({ key = '' }) => key))
  // Nothing is sent to another site.
  if (!isInSite(url)) return { kind: 'load' }
  const { isExported } = app.boot
  const response = await fetch(isExported ? fileOf(url, app) : markNavigation(url), {
    ...init,
    headers: {
      [BUILD_HEADER]: app.boot.build,
      [LAYOUTS_HEADER]: currentLayouts,
      ...(isRefresh && { [REFRESH_HEADER]: '1' }),
    },
    redirect: 'manual',
  })
  if (isExported ? !isFile(response) : !isOwn(response)) return { kind: 'load' }
  return readPage(response, { currentData: app.tree.data, signal: init.signal, version })
}

export function isInSite(url: URL): boolean {
  return url.origin === location.origin && `${url.pathname}/`.startsWith(`${base}/`)
}

/** Returns the URL of the navigation to a page. */
export function markNavigation(url: URL): URL {
  const to = new URL(url)
  to.search += (to.search && '&') + NAVIGATION_MARK
  return to
}

/** Returns the URL of the file with the lines of a navigation to a page of an exported site. */
function fileOf({ origin, pathname }: URL, { boot: { build } }: App): URL {
  return new URL(base + navigationFile(build, pathname.slice(base.length)), origin)
}

/** Returns whether a host of files has found a file with lines. Some hosts send a document in place of a missing file. */
function isFile({ body, headers, ok }: Response): boolean {
  return ok && body !== null && !!headers.get('content-type')?.startsWith('text/plain')
}

/** Returns whether Hydrant wrote the response. */
export function isOwn({ body, headers }: Response): boolean {
  return body !== null && headers.has(BUILD_HEADER) && !!headers.get('content-type')?.startsWith(NAVIGATION_TYPE)
}
