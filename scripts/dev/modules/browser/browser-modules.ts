import type { DevUpdate } from '../../../../src/shared/wire/dev-protocol.ts'
import { isStylesheet } from '../../../build/esbuild/stylesheet-reader.ts'
import type { PackageScript } from '../packages/package-bundle.ts'
import { compileAll, type Recompiled } from '../recompiled.ts'
import { EMPTY_GRAPH, findMoved, findRelinked, hasNewImport, type SiteGraph } from '../site-graph.ts'
import { describeBrowserChanges, findUpdate, needsImporters } from './browser-changes.ts'
import { writeRootScript } from './module-script.ts'
import type { BrowserCompiler } from './read-browser-module.ts'
import { createFileNames, createModuleCache, createScriptWriter } from './script-writer.ts'
import { createStylesheets } from './stylesheets.ts'

/** The modules and stylesheets of a site, as scripts of their own for browsers. */
export interface BrowserModules {
  /**
   * Uses the result of a new scan. Returns the modules to import again in open pages: those whose specifiers lead
   * elsewhere, and those whose files are back.
   */
  adopt(graph: SiteGraph): Promise<string[]>
  /** Compiles the modules again that browsers have, and returns those that differ. */
  recompile(ids: readonly string[]): Promise<Recompiled>
  /**
   * Returns the modules to import again in pages that have the changed ones; null if pages have to be loaded again.
   * Each of them only exports components, or is a page. Also returns the changed modules that pages keep until they are no
   * longer broken.
   */
  update(
    changed: readonly string[],
    isBroken: (id: string) => boolean,
  ): { modules: DevUpdate['modules'] | null; kept: ReadonlySet<string> }
  /** Compiles the stylesheets again that consist of one of these files. */
  restyle(ids: readonly string[]): Promise<Restyled>
  /** Returns whether a file imports something that the last scan has not found, because a change is being applied. */
  isAheadOfScan(name: string): boolean
  /** Returns the content of a file in the assets folder; null for an unknown one. */
  read(name: string): Promise<{ type: 'js' | 'css'; text: string } | null>
  /** Returns whether a file is part of a stylesheet that was compiled. */
  isStyled(id: string): boolean
  asset(name: string): Uint8Array | undefined
  rootName(id: string): string
  /** The names of the stylesheets of a page, a layout or an error page. */
  stylesOf(root: string): string[]
  /** Forgets everything that was compiled. */
  clear(): void
}

/** Stylesheets that were compiled again. `failed` has the errors of those that cannot be compiled, by id. */
export interface Restyled {
  styles: DevUpdate['styles']
  needsCheck: boolean
  failed: ReadonlyMap<string, unknown>
}

export interface BrowserModulesInput {
  /** The folder that source maps are written to. */
  folder: string
  compiler(): BrowserCompiler
  /** Returns the scripts of packages by their specifiers. */
  packages(): Readonly<Record<string, PackageScript>>
  /** Identifies the last change that was sent to open pages. */
  position(): string
}

export function createBrowserModules({ folder, compiler, packages, position }: BrowserModulesInput): BrowserModules {
  const names = createFileNames()
  const modules = createModuleCache(compiler)
  const styles = createStylesheets(compiler)
  /** The modules whose importers must run again at the next update. */
  const resized = new Set<string>()
  /** The modules that browsers may have, and whose files are gone. */
  const gone = new Set<string>()
  let graph = EMPTY_GRAPH

  const scripts = createScriptWriter({ folder, names, modules, graph: () => graph, packages })

  return {
    async adopt(next) {
      const moved = findMoved(graph, next).filter((id) => modules.known.has(id))
      const relinked = findRelinked(graph, next).filter((file) => modules.known.has(graph.idOf(file)))
      graph = next
      for (const id of moved) if (!next.has(id)) gone.add(id)
      modules.keep(next.has)
      const back = [...gone].filter(next.has)
      // The scan has found the errors of those that cannot be compiled.
      await Promise.allSettled(back.map(modules.get))
      for (const id of back) gone.delete(id)
      return [...moved.filter(next.has), ...back, ...relinked]
    },
    async recompile(ids) {
      await modules.settled(ids)
      const served = ids.filter((id) => modules.known.has(id))
      const { compiled, failed } = await compileAll(served, (id) => compiler().browser(id))
      const saved = compiled.map((one) => ({
        ...one,
        before: modules.known.get(one.id),
        isFirst: modules.isFirst(one.id),
      }))
      for (const change of saved) {
        if (needsImporters(change)) resized.add(change.id)
        modules.replace(change.id, change.after)
      }
      const result = describeBrowserChanges(saved, graph)
      // The errors of a module that no page has yet are found by a scan.
      const isUnknown = ids.some((id) => !modules.known.has(id) && !styles.isInput(id) && graph.has(id))
      return { ...result, needsCheck: result.needsCheck || isUnknown, failed }
    },
    update(changed, isBroken) {
      const { stale, accepted, kept } = findUpdate(changed, graph, modules.known, { resized, isBroken })
      for (const id of stale) names.renew(id)
      for (const id of resized) if (!kept.has(id)) resized.delete(id)
      return { modules: accepted?.map((id) => ({ id, file: names.script(id) })) ?? null, kept }
    },
    async restyle(ids) {
      const { changed, needsCheck } = await styles.recompile(ids, graph.has)
      return {
        styles: changed.map(({ id, css }) => ({ file: names.style(id), css })),
        needsCheck,
        failed: styles.failed,
      }
    },
    isAheadOfScan(name) {
      const file = names.find(name)
      const module = file?.kind === 'script' && modules.known.get(file.id)
      return module ? hasNewImport(graph, file.id, module) : false
    },
    async read(name) {
      const file = names.find(name)
      switch (file?.kind) {
        case 'style':
          return { type: 'css', text: await styles.read(file.id) }
        case 'script':
          return { type: 'js', text: await scripts.write(file.id) }
        case 'root':
          return { type: 'js', text: writeRootScript(scripts.urlOf(graph.idOf(file.id)), position()) }
        default:
          return null
      }
    },
    isStyled: styles.isInput,
    asset: (name) => compiler().asset(name),
    rootName: names.root,
    stylesOf: (root) =>
      graph
        .reach(graph.idOf(root))
        .filter(isStylesheet)
        .map((id) => names.styleOf(id, root)),
    clear() {
      modules.keep(() => false)
      styles.clear()
    },
  }
}
