import { type FragmentInstance, startTransition } from 'react'
import { hydrateRoot, type Root } from 'react-dom/client'
import type { Tree } from '../shared/tree/app-tree.tsx'
import { browser } from '../shared/tree/browser.ts'
import { defaultPlatform, type Platform } from '../shared/tree/platform.ts'
import { BOOT_VARIABLE, type Boot, type BootMessage, type BootQueue, type Notice } from '../shared/wire/boot.ts'
import { createDeferredPromises, revive, type Settlement } from '../shared/wire/promises.ts'
import { type App, appElement } from './app.tsx'
import { ended, importNavigator, startNavigation } from './intercept-navigation.ts'
import { loadTree } from './load-tree.ts'
import type { repair } from './repair.ts'
import type { FailureInfo, LogError } from './report.ts'
import type { watchDocument } from './watch-document.ts'

/** Makes the document interactive: loads its modules, reads its data and hydrates it with React. */
export async function hydrate(scope: Window): Promise<void> {
  // The script of `bootScript` has set this variable.
  const queue = (scope as unknown as Record<typeof BOOT_VARIABLE, BootQueue>)[BOOT_VARIABLE]
  // In development, a page without scripts has this one.
  if (HYDRANT_DEV && !queue) return __hydrant_dev__.start(null)
  const [boot] = queue
  const deferred = createDeferredPromises()
  // A report that fails is ignored: it must not cause another one.
  const report = (thrown: unknown, info?: FailureInfo) => {
    if (boot.reports !== 0)
      import('./report.ts').then((module) => module.report(boot, ended, thrown, info)).catch(() => {})
  }
  const logError = (error: unknown, info: FailureInfo) => {
    console.error(error, info.componentStack)
    report(error, info)
  }
  for (const type of ['error', 'unhandledrejection']) addEventListener(type, report)
  const received = receiveMessages(queue, deferred, logError)
  const data = boot.data.map((flat) => revive(flat, deferred.promised))
  // The navigator sends forms without leaving the page. It is loaded first, so that no form is sent before it is there.
  const ready = Promise.allSettled([...received, document.forms[0] && importNavigator()])
  const recover = createRecover(boot)
  const tree = (await loadTree(boot, boot, Promise.all(data)).catch(recover)) as Tree
  // If React saw the end of the document before the notices took effect, it would render the missing parts itself.
  await ready
  const host = location.hostname
  const platform: App['platform'] = Object.assign(defaultPlatform, {
    host: boot.host ?? host,
    search: location.search,
    findDigest: createDigestFinder(),
    reload: () => location.reload(),
    recover,
  })
  const app: App = { tree, boot, leaving: '', platform, show }
  const render = createRenderer(app, platform, report, logError)
  function show(next: Tree): Promise<void> {
    app.tree = next
    platform.page++
    platform.search = location.search
    return render()
  }
  // Set before the first commit: effects may need it.
  browser.load = render().then(() => {
    // A server behind a proxy that hides the public host rendered another name. React hydrates that name first.
    if (platform.host !== host) {
      platform.host = host
      void render()
    }
    return startNavigation(app)
  })
  if (HYDRANT_DEV) {
    await browser.load
    __hydrant_dev__.start(app)
  }
}

/** Returns the function that renders the current tree and resolves when React has committed it. It hydrates first. */
function createRenderer(app: App, platform: Platform, report: LogError, logError: LogError): () => Promise<void> {
  let root: Root | undefined
  return () =>
    new Promise((resolve) => {
      startTransition(() => {
        const element = appElement(app.tree, platform, resolve)
        if (root) root.render(element)
        else
          root = hydrateRoot(document, element, {
            onCaughtError: logError,
            onUncaughtError: logError,
            onRecoverableError(error, info) {
              // An error with a digest failed on the server, which has logged it. The visitor sees the intact page.
              const log = (error as { digest?: unknown } | null)?.digest ? report : logError
              log(error, { ...info, isRecovered: true })
            },
          })
      })
    })
}

/** A fragment reference with a method that React's types do not contain yet. */
type FragmentPlace = FragmentInstance & Pick<Node, 'compareDocumentPosition'>

// `Node.DOCUMENT_POSITION_CONTAINED_BY` and `…_IMPLEMENTATION_SPECIFIC`, which bundlers do not inline.
const CONTAINED_BY_OR_IMPLEMENTATION_SPECIFIC = 16 | 32

/**
 * Returns the function that finds the server's digest for a part of the page that failed on both sides. React keeps the
 * digest in the document until it has rendered the Suspense boundary again, on the template after the boundary's
 * `<!--$!-->` comment. It does not pass the digest to error boundaries. Each template is used once: when several parts
 * of a page fail in one pass, React reports them in the order of the document.
 */
function createDigestFinder() {
  const used = new Set<Element>()

  return (part: FragmentInstance | null): string | undefined => {
    // Each digest contains a hyphen. React writes an empty one for a part that only the browser renders.
    for (const template of document.querySelectorAll<HTMLElement>('template[data-dgst*="-"]')) {
      const before = template.previousSibling as Comment | null
      if (before?.data !== '$!' || used.has(template)) continue
      // A part without elements has no position to compare. React then sets IMPLEMENTATION_SPECIFIC, and the template
      // counts.
      const place = part as FragmentPlace | null
      if (place && !(place.compareDocumentPosition(template) & CONTAINED_BY_OR_IMPLEMENTATION_SPECIFIC)) continue
      used.add(template)
      return template.dataset.dgst
    }
    return undefined
  }
}

/**
 * Handles the settlements and notices of the document: those that are in the queue, and those that its scripts add
 * later. Returns a promise for each of the former, which resolves when the message has taken effect.
 */
function receiveMessages(
  queue: BootQueue,
  deferred: ReturnType<typeof createDeferredPromises>,
  logError: LogError,
): Promise<void>[] {
  let watch: Promise<ReturnType<typeof watchDocument>> | undefined
  function receive(message: BootMessage) {
    // A settlement begins with the number of its promise, and a notice with 0.
    if (message[0]) return deferred.settle(message as Settlement)
    // Only documents with notices need this script.
    watch ??= import('./watch-document.ts').then(({ watchDocument }) => watchDocument(document, deferred, logError))
    return watch.then((take) => take(message as Notice)).catch(() => {})
  }
  const received = (queue.slice(1) as BootMessage[]).map(receive)
  // The document's scripts add only messages, and do not read the result of `push`.
  queue.push = receive as never
  return received
}

// A page that is open during a deployment may import a script of the old build, which no longer exists. The page of
// the new build imports another one. If that is missing too, the page must not reload forever.

// The message in Chromium and Firefox, and in Safari.
const MISSING = /import(ed|ing a) m/i

/**
 * Returns the function that tries to recover from an error. It returns a promise to wait for, or 0 if the part that
 * failed can be rendered again.
 *
 * - A script cannot be loaded: a part that the server has rendered stays, see `missing-part.ts`. Otherwise the page is
 *   loaded again, and the promise never settles. The same path is not loaded twice in a row, nor without session storage.
 * - React has thrown because a translation or an extension has changed the page: see `repair.ts`.
 *
 * @param reloading False if the page is not loaded again when a script is missing.
 */
function createRecover(boot: Boot) {
  /** False if the page is not reloaded when a script is missing. */
  let reloading: Promise<never> | false | undefined = boot.reload
  let loaded: typeof repair | undefined
  // `sessionStorage` throws if it is full or turned off.
  addEventListener('pagehide', () => {
    try {
      reloading ?? delete sessionStorage[BOOT_VARIABLE]
    } catch {}
  })

  function reload() {
    if (reloading != null) return reloading
    reloading = false
    try {
      // A page that has been open for a minute has worked, so it may be loaded again. A constant would take more bytes.
      if (sessionStorage[BOOT_VARIABLE] !== location.pathname || performance.now() > 60_000) {
        sessionStorage[BOOT_VARIABLE] = location.pathname
        location.reload()
        reloading = new Promise(() => {})
      }
    } catch {}
    return reloading
  }

  return (thrown: unknown, boundary?: object): Promise<undefined> | 0 | false | undefined => {
    // Anything may have been thrown. `test` makes a text of its argument.
    const isMissing = MISSING.test((thrown as Error | null)?.message as string)
    // A script of the page itself. The promise never settles.
    if (!boundary) return reload() || Promise.reject(thrown)
    if (!isMissing && !(thrown instanceof DOMException)) return reloading
    if (loaded) return loaded(thrown as Error, boundary, reload)
    return import('./repair.ts').then(
      ({ repair }): undefined => {
        loaded = repair
      },
      // Without the code, the failure is shown, or the page loaded again.
      (): undefined => {
        loaded = () => isMissing && reload()
      },
    )
  }
}
