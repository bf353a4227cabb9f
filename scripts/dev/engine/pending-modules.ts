import type { DevUpdate } from '../../../src/shared/wire/dev-protocol.ts'
import type { BrowserModules } from '../modules/browser/browser-modules.ts'
import type { SiteScan } from '../modules/scan-site.ts'
import type { ServerModules } from '../modules/server/server-modules.ts'

/** The modules that have changed since the last update, also if an update failed in between. */
export interface PendingModules {
  /** Uses the result of a new scan. Rejects with esbuild's BuildFailure. */
  adopt(scan: SiteScan): Promise<void>
  /**
   * Returns whether an import of a name that is not exported is possible, or a warning may be missing. A scan of the site
   * then looks for them.
   */
  needCheck(): boolean
  /** Notes that a scan has looked for such names and warnings. */
  markChecked(): void
  /**
   * Compiles changed modules again, on both sides. Returns whether imports have changed, so that the site has to be
   * scanned. Rejects with esbuild's BuildFailure.
   */
  recompile(ids: readonly string[]): Promise<boolean>
  /** Compiles the stylesheets again that consist of changed files. Rejects with esbuild's BuildFailure. */
  restyle(ids: readonly string[]): Promise<DevUpdate['styles']>
  /** Makes the changes visible to browsers and to the server. */
  publish(): PublishedModules
}

export interface PublishedModules {
  /** The modules that open pages import again; null if they have to be loaded again. */
  modules: ReturnType<BrowserModules['update']>
  /** The ids of the modules that the server evaluates again. */
  dirty: ReadonlySet<string>
}

export function createPendingModules(browser: BrowserModules, server: ServerModules): PendingModules {
  const changes = { browser: new Set<string>(), server: new Set<string>() }
  const styled = new Set<string>()
  const sides = [
    [browser, changes.browser],
    [server, changes.server],
  ] as const

  let isUnchecked = false

  return {
    async adopt(scan) {
      for (const id of await browser.adopt(scan.browser)) changes.browser.add(id)
      for (const id of server.adopt(scan.server)) changes.server.add(id)
      isUnchecked = false
    },
    needCheck: () => isUnchecked,
    markChecked() {
      isUnchecked = false
    },
    async recompile(ids) {
      const results = await Promise.all(
        sides.map(async ([modules, changedBefore]) => {
          const { changed, needsScan, needsCheck } = await modules.recompile(ids)
          isUnchecked ||= needsCheck
          // The changes are noted even if the other side fails: the next update must include them.
          for (const id of changed) changedBefore.add(id)
          return needsScan
        }),
      )
      return results.includes(true)
    },
    async restyle(ids) {
      for (const id of ids) styled.add(id)
      const { styles, needsCheck } = await browser.restyle([...styled])
      isUnchecked ||= needsCheck
      return styles
    },
    publish() {
      const modules = browser.update([...changes.browser])
      const dirty = server.invalidate([...changes.server])
      changes.browser.clear()
      changes.server.clear()
      styled.clear()
      return { modules, dirty }
    },
  }
}
