import { base } from '../../shared/base.ts'
import { type DevMessage, type DevReload, type DevUpdate, UPDATED_EVENT } from '../../shared/wire/dev-protocol.ts'
import type { App } from '../app-state.ts'
import { fetchPage } from '../fetch-page.ts'
import { importModule } from '../import-module.ts'
import { listenToServer } from './listen-to-server.ts'
import { createOverlay } from './overlay.ts'
import { reloadFiles, replaceStylesheets } from './replace-files.ts'
import type { LoadedModules } from './runtime.ts'

export interface UpdatesInput {
  /** Null for a page that is not hydrated: it is loaded again. */
  app: App | null
  modules: LoadedModules
  /** Identifies the last change that the page has. */
  since: string
  /** Renders components again whose modules were replaced. */
  refreshComponents(): unknown
}

/** Applies the changes of the site to the page, one after another, and shows its errors. */
export function listenForUpdates({ app, modules: loaded, since, refreshComponents }: UpdatesInput) {
  const overlay = createOverlay({
    base,
    concerns: ({ pages }) => !pages || !app || pages.includes(app.tree.leaf.file ?? ''),
  })
  let last = Promise.resolve()
  let stopLoads = () => {}
  /** The URLs of the newest scripts of modules that were not evaluated when they changed. */
  const missed = new Map<string, string>()
  loaded.listen((id, url) => {
    const newest = missed.get(id)
    missed.delete(id)
    // The old script was being loaded when the change came.
    if (newest !== undefined && newest !== url) last = last.then(() => replace([newest])).catch(reportError)
  })
  listenToServer({ base, since, onMessage })

  function onMessage(message: DevMessage) {
    if (message.type === 'errors') overlay.showErrors(message.errors)
    // The page's handler of errors sends it to the server, which shows it here and in the terminal.
    else last = last.then(() => receive(message)).catch(reportError)
  }

  async function receive(message: DevUpdate | DevReload): Promise<void> {
    if (message.type === 'reload' || app === null) return location.reload()
    dispatchEvent(new Event(UPDATED_EVENT))
    const hasFailed = isFailureShown()
    await replaceStylesheets(message.styles)
    await replaceModules(message)
    reloadFiles(message.files)
    // A page that shows an older failure tries again. If this change has caused the failure, it would only occur
    // twice.
    // The next change is shown while the loads run.
    if (message.data || (hasFailed && isFailureShown())) void runLoadsAgain(app).catch(reportError)
  }

  async function replaceModules({ modules }: DevUpdate): Promise<void> {
    const found = modules.map(({ id, file }) => ({ id, url: new URL(file, import.meta.url).href }))
    for (const { id, url } of found) if (!loaded.has(id)) missed.set(id, url)
    await replace(found.filter(({ id }) => loaded.has(id)).map(({ url }) => url))
  }

  async function replace(urls: readonly string[]): Promise<void> {
    if (urls.length === 0) return
    // If a module throws, the page stays as it is.
    await Promise.all(urls.map((url) => importModule(url)))
    refreshComponents()
  }

  /** Runs the loads of the current page again, and shows their data. Stops an earlier call that waits for its data. */
  async function runLoadsAgain(app: App): Promise<void> {
    stopLoads()
    const controller = new AbortController()
    const { signal } = controller
    stopLoads = () => controller.abort()
    const { tree } = app
    const result = await fetchPage(new URL(location.href), app, { isStale: true, signal }).catch((error: unknown) => {
      if (signal.aborted) return null
      throw error
    })
    if (result === null || signal.aborted) return
    // Parts of the page may follow later.
    stopLoads = () => {}
    // Another page was shown meanwhile. Its loads may have run before the change.
    if (app.tree.address.url.href !== tree.address.url.href) await runLoadsAgain(app)
    else if (result.kind === 'page') await app.show(result.tree)
    else if (result.kind === 'redirect') location.replace(result.to)
    else location.reload()
  }
}

function isFailureShown(): boolean {
  return document.querySelector('.hydrant-failure') !== null
}
