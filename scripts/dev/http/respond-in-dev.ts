import type { IncomingMessage, ServerResponse } from 'node:http'
import { pathOf } from '../../../src/server/http/request-url.ts'
import type { Options } from '../../../src/server/options/options.ts'
import { ASSETS_PATH, RESERVED_PATH, withBase } from '../../../src/shared/paths.ts'
import { NAVIGATION_MARK } from '../../../src/shared/wire/navigation-protocol.ts'
import type { DevEngine } from '../engine/dev-engine.ts'
import type { ErrorDisplay } from '../errors/error-display.ts'
import type { AppSlot } from './app-slot.ts'
import type { createConsoleRoute } from './console-route.ts'
import type { createEditorRoute } from './open-editor.ts'
import { serveModule } from './serve-modules.ts'
import type { UpdateChannel } from './update-channel.ts'
import { createWorkerWatch } from './worker-requests.ts'

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

/** Creates the function that responds to all requests of a site in development. */
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
