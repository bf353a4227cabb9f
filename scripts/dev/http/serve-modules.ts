import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pathOf } from '../../../src/server/http/request-url.ts'
import { messageOf } from '../../../src/server/util/message-of.ts'
import type { DevEngine } from '../engine/dev-engine.ts'

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

/**
 * Responds to a request for a module, a stylesheet or a package of a site in development. Returns false for any other
 * request: the site's own server responds to assets that it has.
 */
export async function serveModule(
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
