import type { EncodedSourceMap } from '@jridgewell/trace-mapping'
import { isStylesheet } from '../../../build/esbuild/stylesheet-reader.ts'
import type { PackageScript } from '../packages/package-bundle.ts'
import { type ImportedModule, isUrl, REQUIRED } from '../site-graph.ts'
import type { BrowserModule } from './read-browser-module.ts'
import { type ImportTarget, rewriteImports } from './rewrite-imports.ts'

export interface ScriptContext {
  /** Returns the module that a specifier leads to; null for an unknown specifier. */
  find(specifier: string): ImportedModule | null
  /** See `SiteGraph.matchesOf`. */
  matches: readonly string[]
  /** Returns the URL of the script of a module. */
  urlOf(id: string): string
  /** The scripts of packages by their specifiers. See `PackageBundle`. */
  packages: Readonly<Record<string, PackageScript>>
  /** Which of the module and the modules that it imports are CommonJS, with the names that they export. */
  commonJs: ReadonlyMap<string, readonly string[]>
}

/** Returns a module as a script. An import of a path that leads to no module is not changed. */
export function writeModuleScript(id: string, module: BrowserModule, context: ScriptContext): string {
  const { code, program, requires, expressions } = module
  const start = `const { $RefreshReg$, $RefreshSig$ } = __hydrant_dev__.module(${JSON.stringify(id)}, import.meta.url);`
  const targetOf = (specifier: string) => findTarget(specifier, context)
  const rewritten = rewriteImports(code, program, targetOf, context.matches, module.exports)
  const matched = expressions.required.length > 0 ? context.matches : []
  const required = [...requires, ...matched].flatMap((specifier): [string, RequireTarget][] => {
    const target = findRequired(specifier, context)
    return target ? [[specifier, target]] : []
  })
  return start + completeRequires(rewritten, new Map(required), context.commonJs.has(id))
}

/** Returns what an import becomes: the script of a module or a package; null to keep it. */
function findTarget(specifier: string, { find, urlOf, packages, commonJs }: ScriptContext): ImportTarget | null {
  const imported = find(specifier)
  if (imported === null) return /^[./]/.test(specifier) ? null : toPackage(specifier, packages)
  if ('package' in imported) return imported.isLeft ? { url: imported.package } : toPackage(imported.package, packages)
  // The document has the stylesheets.
  if (isStylesheet(imported.id)) return { namespace: '0' }
  const url = urlOf(imported.id)
  const names = commonJs.get(imported.id)
  return names ? { script: url, namespaceOf: (script) => `${script}.default.namespace()`, names } : { url }
}

function findRequired(specifier: string, { find, urlOf, packages, commonJs }: ScriptContext): RequireTarget | null {
  const target = find(specifier)
  if (target === null) return null
  if ('package' in target) {
    const script = packages[REQUIRED + target.package]
    return script ? { kind: 'package', url: nextTo(script) } : { kind: 'missing', expression: missing(target.package) }
  }
  if (isStylesheet(target.id)) return { kind: 'style' }
  const kind = commonJs.has(target.id) ? 'commonjs' : target.id.endsWith('.json') ? 'json' : 'esm'
  return { kind, url: urlOf(target.id) }
}

function toPackage(specifier: string, packages: ScriptContext['packages']): ImportTarget | null {
  if (isUrl(specifier)) return null
  const script = packages[specifier]
  if (!script) return { namespace: missing(specifier) }
  if (!script.isCommonJs) return { url: nextTo(script) }
  const namespaceOf = (namespace: string) => `__hydrant_dev__.namespace(${namespace})`
  return { script: nextTo(script), namespaceOf, names: script.names }
}

const nextTo = ({ file }: PackageScript) => `./${file}`

/** Returns the expression for a package that was imported after the last scan. */
const missing = (specifier: string) => `__hydrant_dev__.missing(${JSON.stringify(specifier)})`

/** Returns the script that a document names for a page, a layout or an error page, with the position of its data. */
export function writeRootScript(url: string, position: string): string {
  return `__hydrant_dev__.since(${JSON.stringify(position)})\nexport { default } from ${JSON.stringify(url)}\n`
}

export function withMap(script: string, map: EncodedSourceMap): string {
  const json = Buffer.from(JSON.stringify(map)).toString('base64')
  return `${script}\n//# sourceMappingURL=data:application/json;base64,${json}\n`
}

type RequireTarget =
  | { kind: 'package' | 'commonjs' | 'json' | 'esm'; url: string }
  /** `expression` throws. */
  | { kind: 'missing'; expression: string }
  | { kind: 'style' }

/**
 * Completes a script that calls `require`, on one line before it. A CommonJS module becomes a module whose default
 * export has the functions `load` and `namespace`: it is evaluated when it is first used, as in a bundle.
 *
 * @param targets The required modules by their specifiers. A call with another specifier throws.
 */
function completeRequires(code: string, targets: ReadonlyMap<string, RequireTarget>, isCommonJs: boolean): string {
  const imports: string[] = []
  const members = [...targets].map(([specifier, target], index) => {
    const local = `hydrantModule${index}`
    if ('url' in target) {
      const binding = target.kind === 'esm' ? `* as ${local}` : local
      imports.push(`import ${binding} from ${JSON.stringify(target.url)};`)
    }
    return `${JSON.stringify(specifier)}: () => ${expressionOf(target, local)}`
  })
  const object = `{ ${members.join(', ')} }`
  if (isCommonJs) {
    const start = `export default __hydrant_dev__.commonJs(${object}, function (module, exports, require) {`
    return `${imports.join('')}${start}${code}\n});`
  }
  return targets.size === 0
    ? code
    : `${imports.join('')}const require = __hydrant_dev__.createRequire(${object});${code}`
}

function expressionOf(target: RequireTarget, local: string): string {
  switch (target.kind) {
    case 'package':
      return `${local}()`
    case 'missing':
      return target.expression
    case 'commonjs':
      return `${local}.load()`
    case 'json':
      return local
    case 'esm':
      return `({ __esModule: true, ...${local} })`
    case 'style':
      return '({})'
  }
}
