import type { BuildProblem } from '../../build-problem.ts'
import type { SiteScan } from '../modules/scan-site.ts'
import type { PendingModules } from './pending-modules.ts'
import type { SiteStructure } from './read-structure.ts'
import { requireScan, type SiteSource } from './site-source.ts'

/** A site as its files are at one moment. */
export interface SiteRevision {
  structure: SiteStructure
  scan: SiteScan
}

/** Reads as little of a site as a change needs. */
export interface SiteRevisions {
  /** Returns the last revision; null before the site has been read. */
  current(): SiteRevision | null
  /**
   * Returns the site after changes, and whether its imports were read again. Throws BuildError, and rejects with
   * esbuild's BuildFailure.
   *
   * @param paths The changed files, relative to the site.
   * @param ids The modules that consist of these files.
   * @param isStructural Whether files were added or removed, or the configuration has changed.
   */
  advance(
    paths: readonly string[],
    ids: readonly string[],
    isStructural: boolean,
  ): Promise<SiteRevision & { isScanned: boolean }>
  /**
   * Looks for errors and warnings that only the whole site shows, such as an import of a name that no longer exists.
   * Returns null if nothing was checked.
   */
  check(): Promise<SiteCheckResult | null>
}

export interface SiteCheckResult {
  problems: readonly BuildProblem[]
  /** All warnings about the site. */
  warnings: readonly BuildProblem[]
}

export interface SiteRevisionsInput {
  source: SiteSource
  pending: PendingModules
  /** Called when the settings of the configuration differ from the last ones. */
  onSettings(): void
}

export function createSiteRevisions({ source, pending, onSettings }: SiteRevisionsInput): SiteRevisions {
  let current: SiteRevision | null = null
  let generation = 0

  async function readAll(): Promise<SiteStructure> {
    const { structure, isNew } = await source.read()
    if (isNew) onSettings()
    return structure
  }

  async function scanAll(structure: SiteStructure): Promise<SiteScan> {
    const scan = requireScan(await source.scan(structure))
    await pending.adopt(scan)
    return scan
  }

  return {
    current: () => current,
    async advance(paths, ids, isStructural) {
      generation++
      const last = isStructural ? null : current
      const [structure, haveImportsChanged] = await Promise.all([
        last ? source.readChanged(last.structure, paths) : readAll(),
        pending.recompile(ids.filter(source.exists)),
      ])
      const isScanned = last === null || haveImportsChanged
      current = { structure, scan: isScanned ? await scanAll(structure) : last.scan }
      return { ...current, isScanned }
    },
    async check() {
      if (!current || !pending.needCheck()) return null
      const at = generation
      const found = await source.scan(current.structure)
      // A change arrived during the scan. Another check follows it.
      if (at !== generation) return null
      pending.markChecked()
      if ('problems' in found) return { problems: found.problems, warnings: [] }
      const { structure, scan } = current
      current = { structure, scan: { ...scan, warnings: found.warnings } }
      return { problems: [], warnings: [...structure.warnings, ...found.warnings] }
    },
  }
}
