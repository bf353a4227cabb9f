import { base } from '../shared/base.ts'
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

/** What came of asking for a page. */
export type Answer =
  | {
      kind: 'page'
      tree: Tree
      /** The data that came with it. */
      own: readonly unknown[]
      status: number
    }
  /** The load or the action sends the visitor elsewhere, with what was sent (as with the status 307) or without. */
  | { kind: 'redirect'; to: string; isSentOn?: boolean }
  /** Nothing that can stand in this document: load the document of the address. */
  | { kind: 'load' }
  /** The action has run, and what it has answered cannot stand in this document. */
  | { kind: 'done' }

const assets = `${base}/_hydrant/assets/`

/**
 * Asks for the page at an address of this site, given what stands. Its module and its data are fetched at the same
 * time. Rejects when the network fails, or a module cannot be had, and when nobody knows whether what was sent has run.
 * Promises inside the data settle later.
 *
 * @param isStale Is what stands out of date? Then the layouts that stay are loaded as well.
 */
export async function ask(url: URL, init: RequestInit, app: App, isStale = false): Promise<Answer> {
  const standing = isStale ? '' : writeLayoutKeys(app.tree.layouts.map(({ key = '' }) => key))
  // Nothing is sent to where no site of ours is.
  if (url.origin !== location.origin || !`${url.pathname}/`.startsWith(`${base}/`)) return { kind: 'load' }
  const to = new URL(url)
  to.search += (to.search && '&') + NAVIGATION_MARK
  const response = await fetch(to, {
    ...init,
    headers: { [BUILD_HEADER]: app.build, [LAYOUTS_HEADER]: standing },
    // What was done must not be done again, so what was sent is followed to where it leads.
    redirect: init.method ? 'follow' : 'manual',
  })
  if (response.redirected) return { kind: 'redirect', to: response.url }
  const { body, headers, status } = response
  const isOurs = headers.has(BUILD_HEADER) && headers.get('content-type')?.startsWith(NAVIGATION_TYPE)
  const hasActed = headers.has(ACTED_HEADER)
  if (!body || !isOurs) {
    if (hasActed) return { kind: 'done' }
    // What answers in Hydrant's place may have done anything.
    if (init.method)
      throw new Error('The response did not come from this site; the form may or may not have been received.')
    return { kind: 'load' }
  }
  return readAnswer(body, status, app, init.signal).catch((error) => {
    // The action has run: that its answer cannot be shown must not make anybody send it again.
    if (hasActed) return { kind: 'done' }
    throw error
  })
}

function readAnswer(
  body: ReadableStream<Uint8Array>,
  status: number,
  app: App,
  signal?: AbortSignal | null,
): Promise<Answer> {
  const standing = app.tree.data
  const deferred = createDeferredPromises()
  return new Promise((resolve, reject) => {
    let boot: Boot | undefined
    let data: unknown[] = []
    let kept = 0
    let missing = 0
    let isDecided = false

    function finish(plan: Pick<BootPlan, 'layouts' | 'leaf'>, visit: Boot) {
      isDecided = true
      // The modules have been on their way since the first line.
      loadTree(plan, visit, Promise.all(data)).then(
        (tree) => resolve({ kind: 'page', tree, own: tree.data.slice(kept), status }),
        reject,
      )
    }

    function take(line: NavigationLine) {
      switch (line[0]) {
        case 'start':
          boot = line[1]
          kept = line[1].kept
          data = standing.slice(0, kept)
          missing = boot.layouts.length + 1 - kept
          line[1].preload.forEach(preload)
          // Whoever waits for them, in `finish`, hears of it.
          void loadTree(boot, boot, Promise.all([])).catch(() => {})
          return
        case 'data':
          data[line[1]] = revive(line[2], deferred.promised)
          // What an action has returned comes before the data of the loads.
          if (boot && line[1] <= boot.layouts.length && --missing === 0) finish(boot, boot)
          return
        case 'shown':
          // What stands outside of it has nothing of the page's, nor of its action's.
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
        // What has been left goes on waiting until the next page stands.
        if (!signal?.aborted) deferred.failPending(cut)
      })
  })
}

// An action may have taken the address from a visitor. A browser follows no other kind of redirect either; a script that
// goes to one of `javascript:` would run it.
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
    // The server writes nothing else.
    for (const line of lines) take(JSON.parse(line) as NavigationLine)
  }
}

const preloaded = new Set<string>()

// Scripts alone: a stylesheet that has been fetched this way counts as loaded for React, and the page may appear a frame
// before it is applied. React fetches it itself when it renders the page.
function preload(file: string) {
  if (preloaded.has(file) || !/^[\w.-]+js$/.test(file)) return
  preloaded.add(file)
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.href = assets + file
  document.head.append(link)
}
