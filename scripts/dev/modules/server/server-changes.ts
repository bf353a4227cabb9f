import type { Recompiled } from '../recompiled.ts'
import type { SiteGraph } from '../site-graph.ts'
import type { CompiledServerModule } from './compile-server-module.ts'

/** A module that has been compiled again. `before` is undefined if no request has needed it. */
export interface ServerChange {
  id: string
  before: CompiledServerModule | undefined
  after: CompiledServerModule
}

/**
 * Returns whether the server has to evaluate a module again. A comment counts: it changes the lines of stack traces.
 */
export function isDifferent({ before, after }: ServerChange): boolean {
  return before?.code !== after.code || before.map !== after.map
}

/** Describes the effect of changed modules of the server on the site. */
export function describeServerChanges(changes: readonly ServerChange[], graph: SiteGraph): Recompiled {
  return {
    changed: changes.map(({ id }) => id),
    needsScan: changes.some(({ id, before, after }) =>
      before
        ? before.specifiers.join() !== after.specifiers.join()
        : after.specifiers.some((specifier) => !graph.find(id, specifier)),
    ),
    needsCheck: changes.some(({ before, after }) => namesInCode(before?.code) !== namesInCode(after.code)),
  }
}

/** Returns the names that a script imports and exports, as a text to compare: `import_db.find`, `load: () => load`. */
function namesInCode(code = ''): string {
  return [...new Set(code.match(/\bimport_\w+\.[\w$]+|^ {2}[\w$]+: \(\) => .*$/gm) ?? [])].sort().join()
}
