import type { Tree } from '../shared/tree/app-tree.tsx'
import { browser } from '../shared/tree/browser.ts'
import { defaultPlatform } from '../shared/tree/platform.ts'
import { BOOT_VARIABLE, type BootQueue } from '../shared/wire/boot.ts'
import { createDeferredPromises, revive } from '../shared/wire/deferred-data.ts'
import type { App } from './app-state.ts'
import { createRenderer } from './create-renderer.ts'
import { createDigestFinder } from './find-digest.ts'
import { ended, importNavigator, startNavigation } from './intercept-navigation.ts'
import { loadTree } from './load-tree.ts'
import { receiveMessages } from './receive-messages.ts'
import { createRecover } from './recover.ts'
import type { FailureInfo } from './report.ts'

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
    import('./report.ts').then((module) => module.report(boot, ended, thrown, info)).catch(() => {})
  }
  const logError = (error: unknown, info: FailureInfo) => {
    console.error(error, info.componentStack)
    report(error, info)
  }
  if (boot.reports !== 0) for (const type of ['error', 'unhandledrejection']) addEventListener(type, report)
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
