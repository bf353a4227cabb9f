// Reads the response to a navigation or an action.

import type { Tree } from '../shared/tree/app-tree.tsx'
import { createDeferredPromises, type Flat, revive } from '../shared/wire/deferred-data.ts'
import type { Acted, NavigationLine } from '../shared/wire/navigation-protocol.ts'
import type { PublicError } from '../shared/wire/public-error.ts'
import { withResult } from './extras.ts'
import { createPageReceiver, type ReceivedPage } from './receive-page.ts'

/** The result of the request for a page. */
export type FetchResult =
  | {
      kind: 'page'
      tree: Tree
      /** The part of the tree's data that came with this page. */
      newData: readonly unknown[]
      status: number
      /** How many actions had changed data when the page was requested. */
      version: number
      /** Resolves when the parts of the data that follow later have arrived, or never will; null if all are there. */
      rest: Promise<void> | null
    }
  /**
   * A guard, the load or the action redirects. With `isSentOn` the form is sent to the new URL too, as with the status
   * 307. With `isRefused` no action has received the form.
   */
  | { kind: 'redirect'; to: string; isSentOn?: boolean; isRefused?: boolean }
  /** The response has an error, and no page around it. */
  | { kind: 'error'; error: PublicError }
  /** This document cannot show the page: the browser has to load the document of the URL. */
  | { kind: 'load' }
  /** The action has run, and the response has no page. */
  | { kind: 'done' }

export interface ReadOptions {
  /** The data of the current page. */
  currentData: readonly unknown[]
  version: number
  signal?: AbortSignal | null | undefined
  /** Called as soon as the action has returned. */
  onActed?: ((acted: Acted) => void) | undefined
}

/**
 * Reads a page. Promises in its data settle later. Rejects when a module cannot be loaded or the response ends early.
 */
export function readPage(
  { body, status }: Response,
  { currentData, version, signal, onActed }: ReadOptions,
): Promise<FetchResult> {
  const deferred = createDeferredPromises()
  let isDeferred = false

  function reviveHere(flat: Flat): Promise<unknown> {
    return revive(flat, (id) => {
      isDeferred = true
      return deferred.promised(id)
    })
  }

  return new Promise((resolve, reject) => {
    const page = createPageReceiver(currentData, reviveHere)
    let isDecided = false
    let acted: Promise<Acted> | undefined

    function decide(result: FetchResult) {
      isDecided = true
      // The result of the action takes effect first.
      Promise.resolve(acted).then(() => resolve(result), reject)
    }

    function finish({ kind, tree: loading, kept }: ReceivedPage) {
      isDecided = true
      Promise.all([loading, acted]).then(([loaded, result]) => {
        const tree = result && kind === 'page' ? withResult(loaded, result) : loaded
        const rest = isDeferred ? ended : null
        resolve({ kind: 'page', tree, newData: tree.data.slice(kept), status, version, rest })
      }, reject)
    }

    async function act(flat: Flat): Promise<Acted> {
      // Written by `writeActed`.
      const result = ((await reviveHere(flat)) ?? {}) as Acted
      onActed?.(result)
      return result
    }

    function take(line: NavigationLine) {
      switch (line[0]) {
        case 'acted':
          acted = act(line[1])
          acted.catch(() => {})
          return
        case 'start':
          return page.start(line[1])
        case 'data': {
          const received = page.data(line[1], line[2])
          return received && finish(received)
        }
        case 'shown': {
          const received = page.shown(line[1], line[2], line[3])
          return received ? finish(received) : decide({ kind: 'error', error: line[3] })
        }
        case 'settled':
          return void deferred.settle([line[1], line[2], line[3], line[4]] as never)
        case 'redirect':
          return decide(isWeb(line[1]) ? { kind: 'redirect', to: line[1], isSentOn: line[2] === 1 } : { kind: 'done' })
        case 'load':
          return decide({ kind: acted ? 'done' : 'load' })
      }
    }

    const ended = readLines(body, take)
      .catch(() => {})
      .then(() => {
        const cut = new Error('The connection closed before the page was complete.')
        // After the result of an action, the response may end normally or break.
        if (!isDecided) acted ? decide({ kind: 'done' }) : reject(cut)
        // A page that the visitor leaves keeps its pending promises until the next page is shown.
        if (!signal?.aborted) deferred.failPending(cut)
      })
  })
}

// The target may come from a visitor. Browsers follow redirects to web addresses only, but a script that navigates to
// a `javascript:` URL would run it.
function isWeb(to: string): boolean {
  return /^http/.test(new URL(to, location.href).protocol)
}

async function readLines(body: ReadableStream<Uint8Array> | null, take: (line: NavigationLine) => void): Promise<void> {
  if (!body) return
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
