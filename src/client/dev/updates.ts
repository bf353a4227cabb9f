import { base } from '../../shared/base.ts'
import { type DevMessage, type DevReload, type DevUpdate, UPDATED_EVENT } from '../../shared/wire/dev-protocol.ts'
import type { App } from '../app.tsx'
import { fetchPage } from '../fetch-page.ts'
import { importModule } from '../import-module.ts'
import { listenToServer } from './listen-to-server.ts'
import { createOverlay } from './overlay.ts'
import { TIMES_KEY } from './request-rows.ts'
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
  if (mayShowTimes()) onceLoaded(() => void import('./times-panel.ts').then(({ showTimes }) => showTimes()))

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

/**
 * Returns whether the page has the button with its times. Programs that drive the browser, such as tests, do not see it. The
 * panel can be hidden, and the value `shown` shows it to programs.
 */
function mayShowTimes(): boolean {
  let chosen: string | null = null
  try {
    chosen = localStorage.getItem(TIMES_KEY)
  } catch {
    // The browser does not allow storage.
  }
  return chosen === null ? !navigator.webdriver : chosen === 'shown'
}

/** A document that is streamed is loaded when its last part is there. */
function onceLoaded(then: () => void) {
  if (document.readyState === 'complete') then()
  else addEventListener('load', then, { once: true })
}

function isFailureShown(): boolean {
  return document.querySelector('.hydrant-failure') !== null
}

/** The end of a stylesheet's name: each page and layout has its own. */
const OF_PAGE = /_[A-Z2-7]{8}\.css$/

/** Replaces the rules of stylesheets, at once and without a request. */
async function replaceStylesheets(styles: DevUpdate['styles']): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')]
  await Promise.all(
    links.map(async (link) => {
      const path = new URL(link.href).pathname.replace(OF_PAGE, '.css')
      const style = styles.find(({ file }) => path.endsWith(`/${file}`))
      if (style && !replaceRules(link, style.css)) await replaceLink(link)
    }),
  )
}

/** Replaces all rules. Returns false if the stylesheet cannot be replaced in this way. */
function replaceRules({ sheet }: HTMLLinkElement, css: string): boolean {
  // Constructed stylesheets cannot import others.
  if (!sheet || css.includes('@import')) return false
  try {
    const next = new CSSStyleSheet()
    next.replaceSync(css)
    while (sheet.cssRules.length > 0) sheet.deleteRule(0)
    for (const [index, rule] of [...next.cssRules].entries()) sheet.insertRule(rule.cssText, index)
    return true
  } catch {
    return false
  }
}

/** React knows a stylesheet by its `href`, which therefore stays. Browsers do not keep stylesheets of development. */
async function replaceLink(link: HTMLLinkElement): Promise<void> {
  const next = link.cloneNode() as HTMLLinkElement
  await new Promise((settled) => {
    next.addEventListener('load', settled)
    next.addEventListener('error', settled)
    link.after(next)
  })
  link.remove()
}

/** Loads images and icons again whose files in `public/` have changed. */
function reloadFiles(paths: readonly string[]): void {
  if (paths.length === 0) return
  const isChanged = (url: string) => paths.some((path) => new URL(url, location.href).pathname.endsWith(`/${path}`))
  for (const image of document.querySelectorAll('img')) {
    if (isChanged(image.currentSrc || image.src)) image.src = withStamp(image.src)
  }
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel~=icon],link[rel=stylesheet]')) {
    if (isChanged(link.href)) link.href = withStamp(link.href)
  }
}

function withStamp(url: string): string {
  const stamped = new URL(url, location.href)
  stamped.searchParams.set('hydrant-changed', Date.now().toString(36))
  return stamped.href
}
