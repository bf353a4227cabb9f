import { startTransition } from 'react'
import { hydrateRoot, type Root } from 'react-dom/client'
import type { Tree } from '../shared/tree/app-tree.tsx'
import { createNavigationStore } from '../shared/tree/navigation-state.ts'
import type { Platform } from '../shared/tree/platform.ts'
import { BOOT_VARIABLE, type BootMessage, type BootQueue, type Notice } from '../shared/wire/boot.ts'
import { createDeferredPromises, revive } from '../shared/wire/deferred-data.ts'
import { appElement } from './app-element.tsx'
import type { App } from './app-state.ts'
import { createDigestFinder } from './find-digest.ts'
import { ended, importNavigator, startNavigation } from './intercept-navigation.ts'
import { loadTree } from './load-tree.ts'
import { createRecovery } from './reload-once.ts'
import type { FailureInfo } from './report.ts'
import type { createWatch } from './stalled-document.ts'

/** Makes the document interactive: loads its modules, reads its data and lets React take over what stands there. */
export async function hydrate(scope: Window): Promise<void> {
  // The server writes this variable, in `bootScript`.
  const queue = (scope as unknown as Record<typeof BOOT_VARIABLE, BootQueue>)[BOOT_VARIABLE]
  const deferred = createDeferredPromises()
  let watch: Promise<ReturnType<typeof createWatch>> | undefined
  const [boot, ...messages] = queue
  // A failing report is silent, and causes no other.
  function report(thrown: unknown, info?: FailureInfo) {
    import('./report.ts').then((module) => module.report(boot, ended, thrown, info)).catch(() => {})
  }
  function logError(error: unknown, info: FailureInfo) {
    console.error(error, info.componentStack)
    report(error, info)
  }
  // Nobody listens where nothing is to be reported.
  if (boot.reports !== 0) for (const type of ['error', 'unhandledrejection']) addEventListener(type, report)
  function receive(message: BootMessage) {
    if (!isNotice(message)) return deferred.settle(message)
    // Loaded with the documents that have something to say.
    watch ??= import('./stalled-document.ts').then(({ createWatch }) => createWatch(document, deferred, logError))
    // React must not begin before: where it hears first that the document has ended, it renders anew what has not come.
    return watch.then((take) => take(message)).catch(() => {})
  }
  const early = messages.map(receive)
  queue.push = (message) => {
    // The boot data comes once, and first.
    void receive(message as BootMessage)
    return 0
  }
  const data = boot.data.map((flat) => revive(flat, deferred.promised))
  // With the navigator, whoever can use the page can also send its forms without leaving it.
  const ready = Promise.allSettled([...early, document.forms[0] && importNavigator()])
  const tree = await loadTree(boot, boot, Promise.all(data))
  await ready
  const seenHost = location.hostname
  const navigation = createNavigationStore()
  const platform: Platform = {
    side: 'client',
    host: boot.host ?? seenHost,
    search: location.search,
    navigation,
    page: 0,
    findDigest: createDigestFinder(),
    reload: () => location.reload(),
    recover: createRecovery(),
  }
  const app: App = {
    tree,
    build: boot.build,
    leaving: '',
    navigation,
    show,
  }
  let root: Root | undefined
  function render(): Promise<void> {
    return new Promise((resolve) => {
      startTransition(() => {
        const element = appElement(app.tree, platform, resolve)
        if (root) root.render(element)
        else
          root = hydrateRoot(document, element, {
            onCaughtError: logError,
            onUncaughtError: logError,
            onRecoverableError(error, info) {
              // With a digest it is the server's failure, which its log tells; the visitor sees the page as it should be.
              const tell = (error as { digest?: unknown } | null)?.digest ? report : logError
              tell(error, { ...info, isRecovered: true })
            },
          })
      })
    })
  }
  function show(next: Tree): Promise<void> {
    app.tree = next
    platform.page++
    platform.search = location.search
    return render()
  }
  await render()
  // Behind a proxy that hides the public host the server said another one: hydrate that, then correct it.
  if (platform.host !== seenHost) {
    platform.host = seenHost
    await render()
  }
  navigation.submit = startNavigation(app)
}

function isNotice(message: BootMessage): message is Notice {
  return message[0] === 0
}
