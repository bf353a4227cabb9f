import type { Recompiled } from '../recompiled.ts'
import { hasNewImport, type SiteGraph } from '../site-graph.ts'
import type { CompiledServerModule } from './compile-server-module.ts'

/** A module that has been compiled again. `before` is undefined if no request has needed it. */
export interface ServerChange {
  id: string
  before: CompiledServerModule | undefined
  after: CompiledServerModule
  /** Whether no change of its file was reported before. Then `before` may be newer than the last scan. */
  isFirst: boolean
}

/**
 * Returns whether the server has to evaluate a module again. A comment counts: it changes the lines of stack traces.
 */
export function isDifferent(before: CompiledServerModule | undefined, after: CompiledServerModule): boolean {
  return before?.code !== after.code || before.map !== after.map
}

/** Describes the effect of saved modules of the server on the site. */
export function describeServerChanges(saved: readonly ServerChange[], graph: SiteGraph): Omit<Recompiled, 'failed'> {
  const isNew = ({ id, before, after, isFirst }: ServerChange) =>
    (before === undefined || isFirst) && hasNewImport(graph, id, after)
  const changes = saved.filter((change) => isDifferent(change.before, change.after) || isNew(change))
  return {
    changed: changes.map(({ id }) => id),
    needsScan: changes.some((change) => isNew(change) || hasOtherSpecifiers(change)),
    needsCheck: saved.some((change) =>
      isDifferent(change.before, change.after) ? hasOtherNames(change) : change.isFirst,
    ),
  }
}

function hasOtherSpecifiers({ before, after }: ServerChange): boolean {
  const importsOf = ({ specifiers, expressions }: CompiledServerModule) => [...specifiers, ...expressions].join()
  return before !== undefined && importsOf(before) !== importsOf(after)
}

function hasOtherNames({ before, after }: ServerChange): boolean {
  return namesInCode(before?.code) !== namesInCode(after.code)
}

/** Returns the names that a script imports and exports, as a text to compare: `import_db.find`, `load: () => load`. */
function namesInCode(code = ''): string {
  const names = code.match(/\bimport_\w+\.[\w$]+|^ {2}[\w$]+: \(\) => .*$/gm) ?? []
  return [...new Set([...names, ...classNamesIn(code)])].sort().join()
}

/** The variable of a CSS module. */
const CSS_MODULE = /^var (import_\w+) = .*\brequire\("[^"]*\.module\.\w+"\)/gm

/** Returns the uses of classes: `import_card.default.title`, `{ title } = import_card.default`. */
function classNamesIn(code: string): readonly string[] {
  const variables = [...code.matchAll(CSS_MODULE)].map(([, variable]) => variable)
  if (variables.length === 0) return []
  const module = `\\b(?:${variables.join('|')})\\.default\\b`
  const member = '\\??\\.[\\w$]+|(?:\\?\\.)?\\["[^"]*"\\]'
  return code.match(new RegExp(`${module}(?:${member})|\\{[^{}]*\\} = ${module}`, 'g')) ?? []
}
