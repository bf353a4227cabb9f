import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pathOf } from '../../../src/server/http/request-url.ts'
import type { Options } from '../../../src/server/options/options.ts'
import { messageOf } from '../../../src/server/util/unknown-values.ts'
import { ASSETS_PATH, RESERVED_PATH, withBase } from '../../../src/shared/paths.ts'
import { NAVIGATION_MARK } from '../../../src/shared/wire/navigation-protocol.ts'
import type { DevEngine } from '../engine/dev-engine.ts'
import type { ErrorDisplay } from '../errors/error-display.ts'
import type { createConsoleRoute } from './console-route.ts'
import type { createEditorRoute } from './open-editor.ts'
import type { AppSlot } from './site-app.ts'
import type { UpdateChannel } from './update-channel.ts'

export interface ResponderInput {
  channel: UpdateChannel
  openEditor: ReturnType<typeof createEditorRoute>
  receiveText: ReturnType<typeof createConsoleRoute>
  engine: DevEngine
  display: ErrorDisplay
  slot: AppSlot
  options(): Pick<Options, 'base' | 'proxyStripsBase'>
  onNote(text: string): void
  /** Resolves when every change that was saved before has been applied. */
  settled(): Promise<void>
}

export function createResponder({ channel, engine, display, slot, ...site }: ResponderInput) {
  const watchWorker = createWorkerWatch(slot, site.onNote)
  const routes = [channel.respond, site.openEditor, site.receiveText]
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (routes.some((respond) => respond(request, response))) return
    const { settled } = site
    const { base, proxyStripsBase } = site.options()
    const folders = [withBase(base, ASSETS_PATH), ...(proxyStripsBase ? [ASSETS_PATH] : [])]
    if (await serveModule(request, response, { engine, folders, settled })) return
    await settled()
    if (await watchWorker(request, response)) return
    // When a page is loaded, its earlier errors are out of date.
    if (loadsPage(request)) display.list.clear({ path: pathOf(request.url ?? '') })
    const page = display.page()
    // Pages that are open still send reports.
    if (page === null || (slot.isFilled() && request.url?.includes(RESERVED_PATH))) slot.serve(request, response)
    else respondWithErrorPage(request, response, page)
  }
}

const NAVIGATION = new RegExp(`[?&]${NAVIGATION_MARK}(?:$|&)`)

/** Returns whether a browser requests a page, as a document or for a navigation. */
function loadsPage({ url = '', headers }: IncomingMessage): boolean {
  return headers['sec-fetch-dest'] === 'document' || NAVIGATION.test(url)
}

function respondWithErrorPage({ method }: IncomingMessage, response: ServerResponse, page: string) {
  response.writeHead(500, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  response.end(method === 'HEAD' ? undefined : page)
}

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
function createWorkerWatch(slot: AppSlot, onNote: (text: string) => void) {
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

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  map: 'application/json',
  mjs: 'text/javascript; charset=utf-8',
  json: 'application/json',
}

export interface ModuleServer {
  engine: DevEngine
  /** The folders in which browsers ask for modules. A proxy may remove the base. */
  folders: readonly string[]
  /** Resolves when every change that was saved before has been applied. */
  settled(): Promise<void>
}

/** Responds to requests for modules, stylesheets and packages; false leaves others to the site's own server. */
async function serveModule(
  request: IncomingMessage,
  response: ServerResponse,
  { engine, folders, settled }: ModuleServer,
): Promise<boolean> {
  const { browser, state } = engine
  const packages = state()?.packages
  const path = pathOf(request.url ?? '')
  const folder = folders.find((one) => path.startsWith(one))
  if (!packages || folder === undefined || !['GET', 'HEAD'].includes(request.method ?? '')) return false
  const name = path.slice(folder.length)
  if (!/^[\w.-]+$/.test(name)) return false
  // A page that applies an update must not wait for the next one without need.
  if (browser.isAheadOfScan(name)) await settled()
  let found: Awaited<ReturnType<typeof browser.read>>
  try {
    found = await browser.read(name)
  } catch (error) {
    // The import fails, and a scan of the site shows the error with its place.
    return refuse(response, error)
  }
  // A stylesheet is loaded again under the same URL.
  if (found) return respond(request, response, { ...found, caching: found.type === 'css' ? 'no-store' : 'no-cache' })
  const type = name.split('.').pop() ?? ''
  const asset = browser.asset(name)
  if (asset) return respond(request, response, { text: asset, type, caching: 'no-cache' })
  const bundled = await readFile(join(packages.folder, name)).catch(() => null)
  if (bundled === null) return false
  // The name changes with the content.
  return respond(request, response, { text: bundled, type, caching: 'max-age=31536000, immutable' })
}

function refuse(response: ServerResponse, error: unknown): true {
  response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
  response.end(`${messageOf(error)}\n`)
  return true
}

interface Content {
  text: string | Uint8Array
  /** The extension of the file. */
  type: string
  /** The value of `Cache-Control`. */
  caching: string
}

function respond(request: IncomingMessage, response: ServerResponse, { text, type, caching }: Content): true {
  const etag = `"${createHash('sha1').update(text).digest('base64url')}"`
  response.setHeader('cache-control', caching)
  response.setHeader('etag', etag)
  response.setHeader('x-content-type-options', 'nosniff')
  const mediaType = TYPES[type] ?? ASSET_TYPES[type]
  if (mediaType !== undefined) response.setHeader('content-type', mediaType)
  if (request.headers['if-none-match'] === etag) response.writeHead(304).end()
  else response.end(request.method === 'HEAD' ? undefined : text)
  return true
}

/** The media types of the assets that a site can import. */
const ASSET_TYPES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  pdf: 'application/pdf',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  eot: 'application/vnd.ms-fontobject',
}
