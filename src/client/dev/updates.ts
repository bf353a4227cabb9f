import type { DevMessage, DevUpdate } from '../../shared/wire/dev-protocol.ts'
import type { App } from '../app-state.ts'
import { fetchPage } from '../fetch-page.ts'
import { importModule } from '../import-module.ts'
import { reloadFiles, replaceStylesheets } from './replace-files.ts'

/** Applies the changes of the site to the page, one after another. */
export function listenForUpdates(app: App, loaded: ReadonlySet<string>, refreshComponents: () => unknown) {
  let last = Promise.resolve()
  const events = new EventSource(new URL('../dev', import.meta.url))
  events.addEventListener('message', ({ data }: MessageEvent<string>) => {
    // Hydrant's own server has sent the message.
    const message = JSON.parse(data) as DevMessage
    last = last.then(() => receive(message)).catch((error) => console.error(error))
  })

  async function receive(message: DevMessage): Promise<void> {
    if (message.type === 'reload') return location.reload()
    await replaceStylesheets(message.styles)
    await replaceModules(message)
    reloadFiles(message.files)
    if (message.data) await runLoadsAgain()
  }

  async function replaceModules({ modules }: DevUpdate): Promise<void> {
    const here = modules.filter(({ id }) => loaded.has(id))
    if (here.length === 0) return
    // If a module throws, the page stays as it is.
    await Promise.all(here.map(({ file }) => importModule(new URL(file, import.meta.url).href)))
    refreshComponents()
    // A boundary that shows a failure tries again when the page is rendered.
    if (document.querySelector('.hydrant-failure')) await app.show({ ...app.tree })
  }

  async function runLoadsAgain(): Promise<void> {
    const result = await fetchPage(new URL(location.href), {}, app, true)
    if (result.kind === 'page') await app.show(result.tree)
    else if (result.kind === 'redirect') location.replace(result.to)
    else location.reload()
  }
}
