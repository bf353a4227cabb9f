import { withoutNamespace } from '../../build/bundles/translate-message.ts'
import { type BuildProblem, filesOfProblem } from '../../build-problem.ts'
import type { SiteScan } from '../modules/scan-site.ts'
import type { PendingModules } from './pending-modules.ts'
import type { SiteStructure } from './read-structure.ts'
import type { SiteSource } from './site-source.ts'

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
   * Returns the site after changes, and whether its imports were read again. Throws BuildError for problems that are not
   * in a module of the site.
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
   * Looks for problems and warnings that only the whole site shows, such as an import of a name that no longer exists.
   * Returns null if nothing was checked.
   */
  check(): Promise<SiteRevision | null>
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
    const scan = await source.scan(structure)
    await pending.adopt(scan)
    return { ...scan, problems: withoutFailed(scan.problems) }
  }

  /** Leaves out the problems of modules that an edit is going to compile again. */
  function withoutFailed(problems: readonly BuildProblem[]): BuildProblem[] {
    const failed = new Set(pending.failed().map(([id]) => withoutNamespace(id)))
    return problems.filter((problem) => !filesOfProblem(problem).some((file) => failed.has(file)))
  }

  return {
    current: () => current,
    async advance(paths, ids, isStructural) {
      generation++
      pending.forget(ids.filter((id) => !source.exists(id)))
      // A change of any file may fix problems that only the whole site shows.
      const last = isStructural || (current && hasProblems(current)) ? null : current
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
      const { structure, scan } = current
      current = { structure, scan: { ...scan, warnings: found.warnings, problems: withoutFailed(found.problems) } }
      return current
    },
  }
}

function hasProblems({ structure, scan }: SiteRevision): boolean {
  return [structure.nameProblems, structure.exportProblems, scan.problems].some((problems) => problems.length > 0)
}
