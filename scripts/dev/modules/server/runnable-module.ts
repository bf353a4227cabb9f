import type { ImportedModule } from '../site-graph.ts'

/** A module of the server that can be evaluated, see compile-server-module.ts. */
export interface RunnableModule {
  id: string
  /** The path that stack traces show. */
  path: string
  code: string
  /** The specifiers of the module's static imports, in order. */
  imports: readonly string[]
  /** The specifiers of `require()` in the module. */
  requires: readonly string[]
  /** The names that the module imports, by specifier. */
  names: ReadonlyMap<string, readonly string[]>
  /** Whether the module is CommonJS. Then `module.exports` is the default export. */
  isCommonJs: boolean
  /** Whether the module has a top-level await. */
  isAsync: boolean
  /** Returns the module of the site that a specifier leads to, or a package, or a module of Node.js, after aliases. */
  find(specifier: string): ImportedModule
}

/** Returns the ids of the modules of the site that some specifiers of a module lead to. */
export function idsOf({ find }: RunnableModule, specifiers: readonly string[]): string[] {
  return specifiers.flatMap((specifier) => {
    const target = find(specifier)
    return 'id' in target ? [target.id] : []
  })
}
