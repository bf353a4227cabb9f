// What browsers say about the page that makes a request (https://www.w3.org/TR/fetch-metadata/).

import type { IncomingHttpHeaders } from 'node:http'

/** Returns the header `Sec-Fetch-Site`. Browsers send it to secure addresses, and scripts cannot set it. */
export function fetchSiteOf(headers: IncomingHttpHeaders): string | undefined {
  return headers['sec-fetch-site']?.toString()
}

/**
 * Whether a browser sends the request for a page of another origin. Other ports of the same machine are other origins.
 */
export function isFromOtherOrigin(headers: IncomingHttpHeaders): boolean {
  const site = fetchSiteOf(headers)
  return site === 'cross-site' || site === 'same-site'
}
