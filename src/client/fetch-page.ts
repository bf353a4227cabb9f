import { base } from '../shared/base.ts'
import { ASSETS_PATH } from '../shared/paths.ts'
import type { Tree } from '../shared/tree/app-tree.tsx'
import type { Boot, BootPlan } from '../shared/wire/boot.ts'
import { createDeferredPromises, revive } from '../shared/wire/deferred-data.ts'
import {
  ACTED_HEADER,
  BUILD_HEADER,
  LAYOUTS_HEADER,
  NAVIGATION_MARK,
  NAVIGATION_TYPE,
  type NavigationLine,
  writeLayoutKeys,
} from '../shared/wire/navigation-protocol.ts'
import type { App } from './app-state.ts'
import { loadTree } from './load-tree.ts'

/** The result of the request for a page. */
export type FetchResult =
  | {
      kind: 'page'
      tree: Tree
      /** The part of the tree's data that came with this page. */
      newData: readonly unknown[]
      status: number
      /** True if parts of the data follow later. */
      isDeferred: boolean
    }
  /** The load or the action redirects. With `isSentOn` the form is sent to the new URL too, as with the status 307. */
  | { kind: 'redirect'; to: string; isSentOn?: boolean }
  /** This document cannot show the page: the browser has to load the document of the URL. */
  | { kind: 'load' }
  /** The action has run, and this document cannot show its result. */
  | { kind: 'done' }

/**
 * Requests the page at a URL of this site. Its modules and its data are loaded at the same time. Promises in the data
 * settle later. Rejects when the network fails, when a module cannot be loaded, and when it is unknown whether an
 * action has run.
 *
 * @param init The signal of a navigation, or method and body of a form.
 * @param isStale True when the current page is out of date: the loads of the layouts that stay run too.
 */
export async function fetchPage(url: URL, init: RequestInit, app: App, isStale = false): Promise<FetchResult> {
  const currentLayouts = isStale ? '' : writeLayoutKeys(app.tree.layouts.map(({ key = '' }) => key))
  // Nothing is sent to another site.
  if (url.origin !== location.origin || !`${url.pathname}/`.startsWith(`${base}/`)) return { kind: 'load' }
  const to = new URL(url)
  to.search += (to.search && '&') + NAVIGATION_MARK
  const response = await fetch(to, {
    ...init,
    headers: { [BUILD_HEADER]: app.build, [LAYOUTS_HEADER]: currentLayouts },
    // A form must not be sent twice, so its redirects are followed at once.
    redirect: init.method ? 'follow' : 'manual',
  })
  if (response.redirected) return { kind: 'redirect', to: response.url }
  const { body, headers, status } = response
  const isOurs = headers.has(BUILD_HEADER) && headers.get('content-type')?.startsWith(NAVIGATION_TYPE)
  const hasActed = headers.has(ACTED_HEADER)
  if (!body || !isOurs) {
    if (hasActed) return { kind: 'done' }
    // A proxy or another server responded, and may have done anything.
    if (init.method)
      throw new Error('The response did not come from this site; the form may or may not have been received.')
    return { kind: 'load' }
  }
  return readPage(body, status, app, init.signal).catch((error) => {
    // The action has run: its form must not be sent again only because the result cannot be shown.
    if (hasActed) return { kind: 'done' }
    throw error
  })
}

function readPage(
  body: ReadableStream<Uint8Array>,
  status: number,
  app: App,
  signal?: AbortSignal | null,
): Promise<FetchResult> {
  const currentData = app.tree.data
  const deferred = createDeferredPromises()
  return new Promise((resolve, reject) => {
    let boot: Boot | undefined
    let data: unknown[] = []
    let kept = 0
    let missing = 0
    let isDecided = false
    let isDeferred = false

    function promised(id: number) {
      isDeferred = true
      return deferred.promised(id)
    }

    function finish(plan: Pick<BootPlan, 'layouts' | 'leaf'>, document: Boot) {
      isDecided = true
      // The modules are being loaded since the first line.
      loadTree(plan, document, Promise.all(data)).then(
        (tree) => resolve({ kind: 'page', tree, newData: tree.data.slice(kept), status, isDeferred }),
        reject,
      )
    }

    function take(line: NavigationLine) {
      switch (line[0]) {
        case 'start':
          boot = line[1]
          kept = line[1].kept
          data = currentData.slice(0, kept)
          missing = boot.layouts.length + 1 - kept
          line[1].preload.forEach(preload)
          // `finish` imports the same modules, and handles their errors.
          void loadTree(boot, boot, Promise.all([])).catch(() => {})
          return
        case 'data':
          data[line[1]] = revive(line[2], promised)
          // The action data has a higher index, and comes before the data of the loads.
          if (boot && line[1] <= boot.layouts.length && --missing === 0) finish(boot, boot)
          return
        case 'shown':
          // The layouts around the error keep their data. The page's data and its action data are not used.
          data.splice(line[1])
          if (boot) finish({ layouts: boot.layouts.slice(0, line[1]), leaf: line[2] }, { ...boot, shown: line[3] })
          return
        case 'settled':
          return void deferred.settle([line[1], line[2], line[3], line[4]] as never)
        case 'redirect':
          isDecided = true
          return resolve(isWeb(line[1]) ? { kind: 'redirect', to: line[1], isSentOn: line[2] === 1 } : { kind: 'done' })
        case 'load':
          isDecided = true
          return resolve({ kind: 'load' })
      }
    }

    readLines(body, take)
      .catch(() => {})
      .then(() => {
        const cut = new Error('The connection closed before the page was complete.')
        if (!isDecided) reject(cut)
        // A page that the visitor leaves keeps its pending promises until the next page is shown.
        if (!signal?.aborted) deferred.failPending(cut)
      })
  })
}

// The target may come from a visitor. Browsers follow redirects to web addresses only, but a script that navigates to a
// `javascript:` URL would run it.
function isWeb(to: string): boolean {
  return /^http/.test(new URL(to, location.href).protocol)
}

async function readLines(body: ReadableStream<Uint8Array>, take: (line: NavigationLine) => void): Promise<void> {
  const reader = body.pipeThrough<string>(new TextDecoderStream() as never).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (text + value).split('\n')
    text = lines.pop() ?? ''
    // The response is Hydrant's own, which consists of such lines.
    for (const line of lines) take(JSON.parse(line) as NavigationLine)
  }
}

const preloaded = new Set<string>()

// Preloads scripts only. React would take a preloaded stylesheet for a loaded one, and could show the page a frame
// before the stylesheet applies. React loads the stylesheets itself when it renders the page.
function preload(file: string) {
  if (preloaded.has(file) || !/^[\w.-]+js$/.test(file)) return
  preloaded.add(file)
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.href = base + ASSETS_PATH + file
  document.head.append(link)
}
