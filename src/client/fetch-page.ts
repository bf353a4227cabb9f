import { base } from '../shared/base.ts'
import { navigationFile } from '../shared/paths.ts'
import {
  BUILD_HEADER,
  EVENTS_TYPE,
  LAYOUTS_HEADER,
  NAVIGATION_MARK,
  NAVIGATION_TYPE,
  NO_POSITION,
  REFRESH_HEADER,
  writeLayoutKeys,
} from '../shared/wire/navigation-protocol.ts'
import type { App } from './app.tsx'
import { type FetchResult, readLines, readPage } from './read-page.ts'

interface FetchOptions extends Pick<RequestInit, 'signal' | 'priority'> {
  /** True when the current page is out of date: the loads of the layouts that stay run too (false). */
  isStale?: boolean
  /** The value of `NavigatorState.version` (0). */
  version?: number
  /** For the URL of the current page: the value of `NavigatorState.told` (another page). */
  told?: string
}

/**
 * Requests the page at a URL of this site. Its modules and its data are loaded at the same time. Promises in the data
 * settle later. Rejects when the network fails and when a module cannot be loaded.
 */
export async function fetchPage(
  url: URL,
  app: App,
  { isStale, version = 0, told, ...init }: FetchOptions,
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
      ...(told !== undefined && { [REFRESH_HEADER]: told || NO_POSITION }),
    },
    redirect: 'manual',
  })
  const hasPage = isExported ? isFile(response) : isOwn(response)
  const result: FetchResult = hasPage
    ? await readPage(response, { currentData: app.tree.data, signal: init.signal, version })
    : { kind: 'load' }
  // An error of a proxy or of a plugin, for example because there are too many requests, is none of the page.
  return result.kind === 'load' && response.status >= 400 ? { kind: 'load', isLost: true } : result
}

/** The events of a live page; `read` is null if the response has none. */
export interface PageEvents {
  status: number
  /** Whether the server has another build than this document. An error of a proxy says nothing of it. */
  isOtherBuild: boolean
  /** Calls `take` with each line. Resolves when the stream has ended. */
  read: ((take: (line: string) => void) => Promise<void>) | null
}

/**
 * Asks for the stream that tells when a page has to refresh. `fetch`, and not `EventSource`: the server needs the headers of a
 * navigation, and the page the status of the response.
 *
 * @param position What the page contains of all that was published.
 */
export async function fetchEvents(url: URL, app: App, position: string, signal: AbortSignal): Promise<PageEvents> {
  const { build } = app.boot
  const { body, headers, status } = await fetch(markNavigation(url), {
    headers: { accept: EVENTS_TYPE, [BUILD_HEADER]: build, 'last-event-id': position },
    cache: 'no-store',
    redirect: 'manual',
    signal,
  })
  const isStream = headers.get('content-type')?.startsWith(EVENTS_TYPE)
  return {
    status,
    isOtherBuild: (headers.get(BUILD_HEADER) ?? build) !== build,
    read: isStream ? (take) => readLines(body, take) : null,
  }
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
