// Reads the response to a navigation or an action.

import { base } from '../shared/base.ts'
import { ASSETS_PATH } from '../shared/paths.ts'
import type { Tree } from '../shared/tree/app-tree.tsx'
import type { BootLeaf, BootPlan, ExtraProps } from '../shared/wire/boot.ts'
import { type StreamedTimes, TIMES_EVENT } from '../shared/wire/dev-protocol.ts'
import type { Acted, NavigationLine, NavigationStart } from '../shared/wire/navigation-protocol.ts'
import { createDeferredPromises, type Flat, revive } from '../shared/wire/promises.ts'
import type { PublicError } from '../shared/wire/public-error.ts'
import { isOther } from './kept-text.ts'
import { loadTree } from './load-tree.ts'

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
      /** The mark of the visitor; missing if the response says nothing. */
      visitor?: string | undefined
      /** What a live page contains of all that was published; missing for any other page. */
      live?: string | undefined
      keepsLive?: boolean | undefined
    }
  /** A redirect. `isSentOn`: the form is sent on, as with 307. `isRefused`: no action has received it. */
  | { kind: 'redirect'; to: string; isSentOn?: boolean; isRefused?: boolean }
  /** The response has an error, and no page around it. */
  | { kind: 'error'; error: PublicError }
  /**
   * This document cannot show the page: the browser has to load the document of the URL. `isLost`: there was no response, or
   * an error that is not Hydrant's.
   */
  | { kind: 'load'; isLost?: true }
  /** The action has run, and the response has no page. */
  | { kind: 'done' }

export interface ReadOptions {
  currentData: readonly unknown[]
  version: number
  signal?: AbortSignal | null | undefined
  /** Called as soon as the action has returned. */
  onActed?: ((acted: Acted) => void) | undefined
}

/** Reads a page. Promises in its data settle later. Rejects without a module or the end of the response. */
export function readPage(
  response: Response,
  { currentData, version, signal, onActed }: ReadOptions,
): Promise<FetchResult> {
  const { body, status } = response
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

    function finish({ kind, tree: loading, kept, ...others }: ReceivedPage) {
      isDecided = true
      Promise.all([loading, acted]).then(([loaded, result]) => {
        const tree = result && kind === 'page' ? withResult(loaded, result) : loaded
        const rest = isDeferred ? ended : null
        resolve({ kind: 'page', tree, newData: tree.data.slice(kept), status, version, rest, ...others })
      }, reject)
    }

    async function act(flat: Flat): Promise<Acted> {
      // Written by `writeActed`.
      const result = ((await reviveHere(flat)) ?? {}) as Acted
      onActed?.(result)
      return result
    }

    function take(line: NavigationLine) {
      if (HYDRANT_DEV && line[0] === 'times') tellTimes(response.url, line[1])
      switch (line[0]) {
        case 'acted':
          acted = act(line[1])
          acted.catch(() => {})
          return
        case 'start':
          // Another person has signed in, in another tab: the layouts that stay would show data of the one before.
          return line[1].kept > 0 && isOther(line[1].visitor) ? decide({ kind: 'load' }) : page.start(line[1])
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

    // The response is Hydrant's own, which consists of such lines.
    const ended = readLines(body, (line) => take(JSON.parse(line) as NavigationLine))
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

/** Passes the times of a request on to the panel of a page in development. */
function tellTimes(url: string, metrics: StreamedTimes['metrics']) {
  dispatchEvent(new CustomEvent<StreamedTimes>(TIMES_EVENT, { detail: { url, metrics } }))
}

// The target may come from a visitor. Browsers follow redirects to web addresses only, but a script that navigates to
// a `javascript:` URL would run it.
function isWeb(to: string): boolean {
  return /^http/.test(new URL(to, location.href).protocol)
}

export async function readLines(body: ReadableStream<Uint8Array> | null, take: (line: string) => void): Promise<void> {
  if (!body) return
  const reader = body.pipeThrough<string>(new TextDecoderStream() as never).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (text + value).split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) take(line)
  }
}

/** A page whose lines have arrived, except for the settlements of promises. */
interface ReceivedPage {
  kind: BootLeaf['kind']
  /** Rejects when a module cannot be loaded. */
  tree: Promise<Tree>
  /** How many layouts stay, with their data. */
  kept: number
  visitor: string | undefined
  live: string | undefined
  keepsLive: boolean | undefined
}

/** Creates the functions that take the lines of a page; the last one returns it. Mounted layouts keep their data. */
function createPageReceiver(currentData: readonly unknown[], revive: (flat: Flat) => Promise<unknown>) {
  let start: NavigationStart | undefined
  let data: unknown[] = []
  /** How many loads have not sent their data. */
  let missing = 0

  function load(plan: Pick<BootPlan, 'layouts' | 'leaf'>, document: NavigationStart): ReceivedPage {
    // The modules are being loaded since the first line.
    const tree = loadTree(plan, document, Promise.all(data))
    const { kind } = plan.leaf
    const { kept, visitor, live, keepsLive } = document
    return { kind, tree, kept, visitor, live: kind === 'page' ? live : undefined, keepsLive }
  }

  return {
    start(line: NavigationStart) {
      start = line
      data = currentData.slice(0, line.kept)
      missing = line.layouts.length + 1 - line.kept
      line.preload.forEach(preload)
      // `load` imports the same modules, and its caller handles their errors.
      void loadTree(line, line, Promise.all([])).catch(() => {})
    },
    data(index: number, flat: Flat): ReceivedPage | undefined {
      data[index] = revive(flat)
      // The extras have a higher index, and come before the data of the loads.
      if (start && index <= start.layouts.length && --missing === 0) return load(start, start)
      return undefined
    },
    /** Takes an error in the place of the page. Returns undefined when no page has begun. */
    shown(level: number, leaf: BootLeaf, shown: PublicError): ReceivedPage | undefined {
      if (!start) return undefined
      // The layouts around the error keep their data. The page's data and its extras are not used.
      data.splice(level)
      return load({ layouts: start.layouts.slice(0, level), leaf }, { ...start, shown })
    },
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
  // A policy without 'strict-dynamic' requires it.
  link.nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? ''
  link.href = base + ASSETS_PATH + file
  document.head.append(link)
}

/** Returns a page with another result of its action. */
export function withResult(tree: Tree, { actionData, invalid, action }: Omit<Acted, 'revalidate'>): Tree {
  const { actionData: _, invalid: __, action: ___, ...others } = extrasOf(tree)
  const extras: ExtraProps = {
    ...others,
    ...(actionData !== undefined && { actionData }),
    ...(invalid !== undefined && { invalid }),
    ...(action !== undefined && { action }),
  }
  const data = tree.data.slice(0, tree.layouts.length + 1)
  return { ...tree, data: Object.keys(extras).length > 0 ? [...data, extras] : data }
}

export function extrasOf({ data, layouts }: Tree): ExtraProps {
  // Written by `writeActed`.
  return (data[layouts.length + 1] ?? {}) as ExtraProps
}
