import type { DevUpdate } from '../../../src/shared/wire/dev-protocol.ts'
import { withoutNamespace } from '../../build/bundles/translate-message.ts'
import { filesOfProblem } from '../../build-problem.ts'
import type { BrowserModules } from '../modules/browser/browser-modules.ts'
import type { SiteScan } from '../modules/scan-site.ts'
import type { ServerModules } from '../modules/server/server-modules.ts'

/** The modules that have changed since the last update, also if an update failed in between. */
export type PendingModules = ReturnType<typeof createPendingModules>

export interface PublishedModules {
  /** The modules that open pages import again; null if they have to be loaded again. */
  modules: ReturnType<BrowserModules['update']>['modules']
  /** The ids of the modules that the server evaluates again. */
  dirty: ReadonlySet<string>
}

export function createPendingModules(browser: BrowserModules, server: ServerModules) {
  const changes = { browser: new Set<string>(), server: new Set<string>() }
  const styled = new Set<string>()
  const failures = { browser: new Map<string, unknown>(), server: new Map<string, unknown>() }
  let failedStyles: ReadonlyMap<string, unknown> = new Map()
  const sides = [
    { modules: browser, changedBefore: changes.browser, failedBefore: failures.browser },
    { modules: server, changedBefore: changes.server, failedBefore: failures.server },
  ]
  function forget(isForgotten: (id: string) => boolean) {
    for (const { failedBefore } of sides)
      for (const id of failedBefore.keys()) if (isForgotten(id)) failedBefore.delete(id)
  }

  let isUnchecked = false

  return {
    /** Uses the result of a new scan. */
    async adopt(scan: SiteScan) {
      for (const id of await browser.adopt(scan.browser)) changes.browser.add(id)
      for (const id of server.adopt(scan.server)) changes.server.add(id)
      const broken = new Set(scan.problems.flatMap(filesOfProblem))
      forget((id) => !broken.has(withoutNamespace(id)))
      isUnchecked = false
    },
    /** Forgets why these modules cannot be compiled: their files are gone. */
    forget: (ids: readonly string[]) => forget((id) => ids.includes(id)),
    /** Returns the modules and stylesheets that cannot be compiled, with their errors. */
    failed: (): (readonly [id: string, error: unknown])[] =>
      [failures.browser, failures.server, failedStyles].flatMap((failed) => [...failed]),
    /** Returns whether a scan has to look for imports of names that are not exported, and for warnings. */
    needCheck: () => isUnchecked,
    /** Notes that a scan has looked for such names and warnings. */
    markChecked() {
      isUnchecked = false
    },
    /** Compiles changed modules again, unless broken. Returns whether imports have changed and need a scan. */
    async recompile(ids: readonly string[]) {
      const results = await Promise.all(
        sides.map(async ({ modules, changedBefore, failedBefore }) => {
          const { changed, needsScan, needsCheck, failed } = await modules.recompile(ids)
          // A scan finds the other errors of a module that can be compiled again.
          isUnchecked ||= needsCheck || ids.some((id) => failedBefore.has(id) && !failed.has(id))
          for (const id of ids) failedBefore.delete(id)
          for (const [id, error] of failed) failedBefore.set(id, error)
          for (const id of changed) changedBefore.add(id)
          return needsScan
        }),
      )
      return results.includes(true)
    },
    /** Compiles the stylesheets again that consist of changed files. One that cannot be compiled stays as it was. */
    async restyle(ids: readonly string[]): Promise<DevUpdate['styles']> {
      for (const id of ids) styled.add(id)
      const { styles, needsCheck, failed } = await browser.restyle([...styled])
      isUnchecked ||= needsCheck
      failedStyles = failed
      return styles
    },
    /** Makes the changes visible to browsers and to the server, except those of broken modules in browsers. */
    publish(isBroken: (id: string) => boolean): PublishedModules {
      const { modules, kept } = browser.update([...changes.browser], isBroken)
      const dirty = server.invalidate([...changes.server])
      changes.browser.clear()
      changes.server.clear()
      styled.clear()
      for (const id of kept) changes.browser.add(id)
      for (const id of failedStyles.keys()) styled.add(id)
      return { modules, dirty }
    },
  }
}
