import type { DevUpdate } from '../../../../src/shared/wire/dev-protocol.ts'
import { SERVER_DIRECTIVE } from '../../../build/bundles/check-imports.ts'
import { isStylesheet } from '../../../build/esbuild/stylesheet-reader.ts'
import type { PackageScript } from '../packages/package-cache.ts'
import { compileAll, type Recompiled } from '../recompiled.ts'
import { EMPTY_GRAPH, findMoved, findRelinked, hasNewImport, type SiteGraph } from '../site-graph.ts'
import type { BrowserCompiler, BrowserModule, Stylesheet } from './read-browser-module.ts'
import { createFileNames, createModuleCache, createScriptWriter, writeRootScript } from './script-writer.ts'

/** The modules and stylesheets of a site, as scripts of their own for browsers. */
export type BrowserModules = ReturnType<typeof createBrowserModules>

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

export function createBrowserModules({ folder, compiler, packages, position }: BrowserModulesInput) {
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
    /** Uses a new scan. Returns the modules to import again: those that lead elsewhere, and those that are back. */
    async adopt(next: SiteGraph): Promise<string[]> {
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
    /** Compiles the modules again that browsers have, and returns those that differ. */
    async recompile(ids: readonly string[]): Promise<Recompiled> {
      await modules.settled(ids)
      const served = ids.filter((id) => modules.known.has(id))
      const { compiled, failed } = await compileAll(served, (id) => compiler().browser(id))
      const saved = compiled.map((one) => ({
        ...one,
        before: modules.known.get(one.id),
        isFirst: modules.isFirst(one.id),
      }))
      for (const change of saved) {
        // Everything may have been forgotten while this module was compiled.
        if (!change.before) continue
        if (needsImporters(change)) resized.add(change.id)
        modules.replace(change.id, change.after)
      }
      const result = describeBrowserChanges(saved, graph)
      // The errors of a module that no page has yet are found by a scan.
      const isUnknown = ids.some((id) => !modules.known.has(id) && !styles.isInput(id) && graph.has(id))
      return { ...result, needsCheck: result.needsCheck || isUnknown, failed }
    },
    /**
     * Returns the modules to import again in pages that have the changed ones; null if pages have to be loaded again.
     * Each of them only exports components, or is a page. Also returns the changed modules that pages keep until they are no
     * longer broken.
     */
    update(
      changed: readonly string[],
      isBroken: (id: string) => boolean,
    ): { modules: DevUpdate['modules'] | null; kept: ReadonlySet<string> } {
      const { stale, accepted, kept } = findUpdate(changed, graph, modules.known, { resized, isBroken })
      for (const id of stale) names.renew(id)
      for (const id of resized) if (!kept.has(id)) resized.delete(id)
      return { modules: accepted?.map((id) => ({ id, file: names.script(id) })) ?? null, kept }
    },
    /** Compiles the stylesheets again that consist of one of these files. */
    async restyle(ids: readonly string[]): Promise<Restyled> {
      const { changed, needsCheck } = await styles.recompile(ids, graph.has)
      return {
        styles: changed.map(({ id, css }) => ({ file: names.style(id), css })),
        needsCheck,
        failed: styles.failed,
      }
    },
    /** Returns whether a file imports something that the last scan has not found, because a change is being applied. */
    isAheadOfScan(name: string) {
      const file = names.find(name)
      const module = file?.kind === 'script' && modules.known.get(file.id)
      return module ? hasNewImport(graph, file.id, module) : false
    },
    /** Returns the content of a file in the assets folder; null for an unknown one. */
    async read(name: string): Promise<{ type: 'js' | 'css'; text: string } | null> {
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
    /** Returns whether a file is part of a stylesheet that was compiled. */
    isStyled: styles.isInput,
    asset: (name: string): Uint8Array | undefined => compiler().asset(name),
    rootName: names.root,
    /** The names of the stylesheets of a page, a layout or an error page. */
    stylesOf: (root: string): string[] =>
      graph
        .reach(graph.idOf(root))
        .filter(isStylesheet)
        .map((id) => names.styleOf(id, root)),
    /** Forgets everything that was compiled. */
    clear() {
      modules.keep(() => false)
      styles.clear()
    },
  }
}

/** Compiles stylesheets when browsers need them, and keeps the results. */
export function createStylesheets(compiler: () => BrowserCompiler) {
  const compiled = new Map<string, Promise<Stylesheet>>()
  /** The files of each stylesheet. They are kept when it no longer compiles. */
  const inputsOf = new Map<string, readonly string[]>()
  const failed = new Map<string, unknown>()
  /** The stylesheets with warnings. */
  const doubtful = new Set<string>()
  /** The stylesheets that consist of each file. */
  const usersOf = new Map<string, Set<string>>()

  function setInputs(id: string, inputs: readonly string[]) {
    for (const input of inputsOf.get(id) ?? []) usersOf.get(input)?.delete(id)
    inputsOf.set(id, inputs)
    for (const input of inputs) usersOf.set(input, (usersOf.get(input) ?? new Set()).add(id))
  }

  async function read(id: string): Promise<string> {
    const pending = compiled.get(id) ?? compiler().stylesheet(id)
    compiled.set(id, pending)
    try {
      const { css, inputs, hasWarnings } = await pending
      setInputs(id, inputs)
      if (hasWarnings) doubtful.add(id)
      else doubtful.delete(id)
      return css
    } catch (error) {
      if (compiled.get(id) === pending) compiled.delete(id)
      throw error
    }
  }

  return {
    /** The errors of the stylesheets that could not be compiled again, by id. */
    failed,
    /** Returns the CSS of a stylesheet. Rejects with esbuild's BuildFailure, and compiles it again next time. */
    read,
    /**
     * Compiles the stylesheets again that consist of one of these files. Returns them, and whether there are warnings about
     * them or were some before.
     *
     * @param isUsed Whether the site has a stylesheet. Others wait for the return of their files.
     */
    async recompile(
      files: readonly string[],
      isUsed: (id: string) => boolean,
    ): Promise<{ changed: { id: string; css: string }[]; needsCheck: boolean }> {
      // The files of a stylesheet are unknown while it is compiled for a request.
      await Promise.allSettled(compiled.values())
      const stale = new Set(files.flatMap((input) => [...(usersOf.get(input) ?? [])]))
      const isDoubtful = () => [...stale].some((id) => doubtful.has(id))
      const wasDoubtful = isDoubtful()
      for (const id of stale) compiled.delete(id)
      const used = [...stale].filter(isUsed)
      const result = await compileAll(used, read)
      for (const id of stale) failed.delete(id)
      for (const [id, error] of result.failed) failed.set(id, error)
      const changed = result.compiled.map(({ id, after }) => ({ id, css: after }))
      return { changed, needsCheck: wasDoubtful || isDoubtful() }
    },
    /** Returns whether a file is part of a stylesheet that was compiled. */
    isInput: (id: string) => (usersOf.get(id)?.size ?? 0) > 0,
    clear() {
      compiled.clear()
      failed.clear()
      doubtful.clear()
      inputsOf.clear()
      usersOf.clear()
    },
  }
}

/** A module that has been compiled again. `before` is undefined if the module was removed in the meantime. */
export interface BrowserChange {
  id: string
  before: BrowserModule | undefined
  after: BrowserModule
  /** Whether no change of its file was reported before. Then `before` may be newer than the last scan. */
  isFirst: boolean
}

/** Returns whether the exports differ. If so, importers are affected, because they use exports by name. */
function hasOtherExports({ before, after }: BrowserChange): boolean {
  return before?.exports.join() !== after.exports.join()
}

/** Returns whether the importers must run again: React replaces only functions in place, and no classes. */
function needsImporters(change: BrowserChange): boolean {
  return hasOtherExports(change) || change.before?.isBoundary !== change.after.isBoundary
}

function describeBrowserChanges(saved: readonly BrowserChange[], graph: SiteGraph): Omit<Recompiled, 'failed'> {
  const isNew = (change: BrowserChange) => change.isFirst && hasNewImport(graph, change.id, change.after)
  return {
    changed: saved.filter((change) => isDifferent(change) || isNew(change)).map(({ id }) => id),
    needsScan: saved.some((change) => isNew(change) || needsScan(change)),
    needsCheck: saved.some((change) => (isDifferent(change) ? needsCheck(change) : change.isFirst)),
  }
}

function isDifferent({ before, after }: BrowserChange): boolean {
  return before?.code !== after.code
}

function needsCheck(change: BrowserChange): boolean {
  const { before, after } = change
  return before?.imports !== after.imports || hasOtherExports(change) || after.code.includes(SERVER_DIRECTIVE)
}

function needsScan({ before, after }: BrowserChange): boolean {
  if (before?.specifiers.join() !== after.specifiers.join()) return true
  if (JSON.stringify(before.expressions) !== JSON.stringify(after.expressions)) return true
  // A module without exports may have become a CommonJS module.
  return (before.exports.length === 0) !== (after.exports.length === 0)
}

/** What is known of modules besides their code. */
export interface ModuleStates {
  /** The modules whose exports have changed. Their importers have to be evaluated again. */
  resized: ReadonlySet<string>
  isBroken(id: string): boolean
}

/**
 * Follows a change from importer to importer, up to modules that only export components: these can be replaced. A
 * page can be replaced, too, because the browser uses only its default export. If the change reaches another module
 * without importers, pages have to be loaded again.
 *
 * @param known The modules that browsers may have.
 */
function findUpdate(
  changed: readonly string[],
  graph: SiteGraph,
  known: ReadonlyMap<string, BrowserModule>,
  { resized, isBroken }: ModuleStates,
) {
  const stale = new Set(changed)
  const accepted: string[] = []
  let isReplaceable = true
  const kept = new Set<string>()
  for (const id of stale) {
    const module = known.get(id)
    const importers = [...graph.importersOf(id)].filter((importer) => known.has(importer))
    // A page without a default export is broken. If this was not noticed, its file was emptied in between: it is being
    // written, and another change follows.
    const isEmptied = resized.has(id) && importers.length === 0 && module?.exports.length === 0
    if (isBroken(id) || isEmptied) {
      stale.delete(id)
      if (module) kept.add(id)
      continue
    }
    const isBoundary = module?.isBoundary === true && !resized.has(id)
    if (isBoundary || (importers.length === 0 && module?.hasComponent)) accepted.push(id)
    else if (importers.length === 0) isReplaceable = false
    if (!isBoundary) for (const importer of importers) stale.add(importer)
  }
  return {
    /** The changed modules, and those that have to be evaluated again because they import them. */
    stale,
    /** The modules to import again; null if pages have to be loaded again. */
    accepted: isReplaceable ? accepted : null,
    /** The modules that are broken: pages keep them until they are fixed. */
    kept,
  }
}
