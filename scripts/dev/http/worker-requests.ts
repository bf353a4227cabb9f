import type { IncomingMessage, ServerResponse } from 'node:http'
import { pathOf } from '../../../src/server/http/request-url.ts'
import type { AppSlot } from './app-slot.ts'

/** Removes the service worker whose script it replaces, and loads the pages that the worker controls again. */
const REMOVER = `addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(remove()))
async function remove() {
  await registration.unregister()
  for (const client of await clients.matchAll({ type: 'window' })) await client.navigate(client.url)
}
`

/**
 * Returns the function that watches the requests of browsers for the scripts of service workers. A worker that an earlier
 * server has registered at this address responds to requests in place of `hydrant dev`, also with stored pages. The
 * function removes a worker whose script the site does not have. It returns false for any other request.
 */
export function createWorkerWatch(slot: AppSlot, onNote: (text: string) => void) {
  const noted = new Set<string>()
  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    // Browsers set the header, and scripts cannot.
    if (request.headers['service-worker'] !== 'script') return false
    const path = pathOf(request.url ?? '')
    const isMissing = (await slot.statusOf(request)) === 404
    const text = isMissing
      ? `a browser has the service worker ${path} of another site at this address: it is removed`
      : `a browser has the service worker ${path}: it may show stored pages and files in place of an edit`
    if (!noted.has(text)) onNote(text)
    noted.add(text)
    if (isMissing) response.writeHead(200, HEADERS).end(REMOVER)
    return isMissing
  }
}

const HEADERS = { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' }
