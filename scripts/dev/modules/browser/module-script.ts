import type { EncodedSourceMap } from '@jridgewell/trace-mapping'
import { isStylesheet } from '../../../build/esbuild/css-namespaces.ts'
import type { ImportedModule } from '../site-graph.ts'
import { completeRequires, type RequireTarget } from './common-js.ts'
import type { BrowserModule } from './read-browser-module.ts'
import { type ImportTarget, rewriteImports } from './rewrite-imports.ts'

/** The modules around a module. */
export interface ScriptContext {
  /** Returns the module that a specifier leads to; null for an unknown specifier. */
  find(specifier: string): ImportedModule | null
  /** Returns the URL of the script of a module. */
  urlOf(id: string): string
  /** Which of the module and the modules that it imports are CommonJS. */
  commonJs: ReadonlySet<string>
}

/** Returns a module as a script. An import of a path that leads to no module is not changed. */
export function writeModuleScript(id: string, module: BrowserModule, context: ScriptContext): string {
  const { code, program, requires } = module
  const start = `const { $RefreshReg$, $RefreshSig$ } = __hydrant_dev__.module(${JSON.stringify(id)}, import.meta.url);`
  const rewritten = rewriteImports(code, program, (specifier) => findTarget(specifier, context))
  const required = requires.flatMap((specifier): [string, RequireTarget][] => {
    const target = findRequired(specifier, context)
    return target ? [[specifier, target]] : []
  })
  return start + completeRequires(rewritten, new Map(required), context.commonJs.has(id))
}

/** Returns what an import becomes: the URL of another script, or an expression for a package; null to keep it. */
function findTarget(specifier: string, { find, urlOf, commonJs }: ScriptContext): ImportTarget | null {
  const imported = find(specifier)
  if (imported === null) return /^[./]/.test(specifier) ? null : toPackage(specifier)
  if ('package' in imported) return toPackage(imported.package)
  // The document has the stylesheets.
  if (isStylesheet(imported.id)) return { namespace: '0' }
  return commonJs.has(imported.id) ? { commonJs: urlOf(imported.id) } : { url: urlOf(imported.id) }
}

function findRequired(specifier: string, { find, urlOf, commonJs }: ScriptContext): RequireTarget | null {
  const target = find(specifier)
  if (target === null) return null
  if ('package' in target) return { kind: 'package', specifier: target.package }
  if (isStylesheet(target.id)) return { kind: 'style' }
  const kind = commonJs.has(target.id) ? 'commonjs' : target.id.endsWith('.json') ? 'json' : 'esm'
  return { kind, url: urlOf(target.id) }
}

function toPackage(specifier: string): ImportTarget {
  return { namespace: `__hydrant_dev__.package(${JSON.stringify(specifier)})` }
}

/**
 * Returns the script that a document names for a page, a layout or an error page.
 *
 * @param position Identifies the last change that was sent to open pages.
 */
export function writeRootScript(url: string, position: string): string {
  return `__hydrant_dev__.since(${JSON.stringify(position)})\nexport { default } from ${JSON.stringify(url)}\n`
}

/** Adds a source map to a script. */
export function withMap(script: string, map: EncodedSourceMap): string {
  const json = Buffer.from(JSON.stringify(map)).toString('base64')
  return `${script}\n//# sourceMappingURL=data:application/json;base64,${json}\n`
}
