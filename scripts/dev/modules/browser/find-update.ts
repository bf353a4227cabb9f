import type { SiteGraph } from '../site-graph.ts'
import type { BrowserModule } from './read-browser-module.ts'

/** The modules that a change concerns in open pages. */
export interface FoundUpdate {
  /** The changed modules, and those that have to be evaluated again because they import them. */
  stale: ReadonlySet<string>
  /** The modules to import again; null if pages have to be loaded again. */
  accepted: string[] | null
  /** The modules that are broken: pages keep them until they are fixed. */
  kept: ReadonlySet<string>
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
): FoundUpdate {
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
  return { stale, accepted: isReplaceable ? accepted : null, kept }
}
