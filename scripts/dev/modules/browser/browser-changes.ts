import { SERVER_DIRECTIVE } from '../../../build/bundles/check-imports.ts'
import type { Recompiled } from '../recompiled.ts'
import { hasNewImport, type SiteGraph } from '../site-graph.ts'
import type { BrowserModule } from './read-browser-module.ts'

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

/**
 * Returns whether the importers must run again: also when a class has become a function. React replaces only functions in
 * place.
 */
export function needsImporters(change: BrowserChange): boolean {
  return hasOtherExports(change) || change.before?.isBoundary !== change.after.isBoundary
}

/** Describes the effect of saved modules of the browser on the site. */
export function describeBrowserChanges(saved: readonly BrowserChange[], graph: SiteGraph): Omit<Recompiled, 'failed'> {
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
export function findUpdate(
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
    if (isBroken(id)) {
      stale.delete(id)
      if (known.has(id)) kept.add(id)
      continue
    }
    const module = known.get(id)
    const isBoundary = module?.isBoundary === true && !resized.has(id)
    const importers = [...graph.importersOf(id)].filter((importer) => known.has(importer))
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
