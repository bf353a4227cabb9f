import type { DevUpdate } from '../../src/shared/wire/dev-protocol.ts'
import type { BrowserModules } from './modules/browser-modules.ts'
import type { ServerModules } from './modules/server-modules.ts'

/** The modules that have changed since the last update, also if an update failed in between. */
export interface PendingModules {
  /** Whether a name may be imported that is not exported. A scan of the site finds out. */
  isUnchecked: boolean
  /**
   * Compiles changed modules again, on both sides. Returns whether imports have changed, so that the site has to be
   * scanned. Rejects with esbuild's BuildFailure.
   */
  recompile(ids: readonly string[]): Promise<boolean>
  /** Compiles the stylesheets again that consist of changed files. Rejects with esbuild's BuildFailure. */
  restyle(ids: readonly string[]): Promise<DevUpdate['styles']>
  /** Returns the modules that open pages import again (null: they reload), and those that the server evaluates again. */
  publish(): { modules: ReturnType<BrowserModules['update']>; dirty: Set<string> }
}

export function createPendingModules(browser: BrowserModules, server: ServerModules): PendingModules {
  const changes = { browser: new Set<string>(), server: new Set<string>() }
  const styled = new Set<string>()
  const sides = [
    [browser, changes.browser],
    [server, changes.server],
  ] as const

  const pending: PendingModules = {
    isUnchecked: false,
    async recompile(ids) {
      const results = await Promise.all(
        sides.map(async ([modules, changedBefore]) => {
          const { changed, needsScan, needsCheck } = await modules.recompile(ids)
          pending.isUnchecked ||= needsCheck
          // Also when the other side fails: the next update must include these.
          for (const id of changed) changedBefore.add(id)
          return needsScan
        }),
      )
      return results.includes(true)
    },
    async restyle(ids) {
      for (const id of ids) styled.add(id)
      return await browser.restyle([...styled])
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
  return pending
}
