import { SERVER_DIRECTIVE } from '../../../build/bundles/check-directives.ts'
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
